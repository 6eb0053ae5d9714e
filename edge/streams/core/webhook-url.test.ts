import { expect, test } from 'vitest'
import { isAllowedWebhook } from './webhook-url.ts'

test.each([
  ...['http://10.0.0.1/', 'https://10.0.0.1/', 'https://0x0a000001/', 'https://192.168.1.1/', 'https://172.20.0.1/'],
  ...[
    'https://169.254.169.254/latest',
    'https://[::1]/',
    'https://[fd00::1]/',
    'https://metadata.internal/',
    'https://db/',
  ],
  ...[
    'http://example.com/',
    'ftp://example.com/',
    'nonsense',
    'https://user:secret@example.com/',
    'https://100.64.0.1/',
  ],
])('[STR-6] %s is no place for a webhook', (address) => {
  expect(isAllowedWebhook(address, true)).toBe(false)
})

test('[STR-1] public addresses over HTTPS are, this machine only in development', () => {
  expect(isAllowedWebhook('https://hooks.example.com/a', false)).toBe(true)
  expect(isAllowedWebhook('http://127.0.0.1:8080/a', true)).toBe(true)
  expect(isAllowedWebhook('http://localhost/a', true)).toBe(true)
  expect(isAllowedWebhook('http://127.0.0.1:8080/a', false)).toBe(false)
})

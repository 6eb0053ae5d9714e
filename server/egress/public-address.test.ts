import { describe, expect, it } from 'vitest'
import { isPublicAddress } from './public-address.ts'

describe('addresses that requests may go to', () => {
  it.each(['93.184.216.34', '1.1.1.1', '172.32.0.1', '192.169.1.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])(
    '[FEED-12] %s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  )

  it.each([
    ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.0.1', '169.254.169.254', '100.64.0.1'],
    ...['0.0.0.0', '192.0.2.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '240.0.0.1'],
    ...['::1', '::', 'fe80::1', 'fd00::1', 'fc00::1', '2001:db8::1', '2002:7f00:1::', '64:ff9b::7f00:1', 'ff02::1'],
    ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::127.0.0.1', 'localhost', '', '1.2.3'],
  ])('[FEED-12] %s is not', (address) => expect(isPublicAddress(address)).toBe(false))
})

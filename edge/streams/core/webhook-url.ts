// Which addresses a webhook may have (protocol §6.2, §12.8): public ones over HTTPS, so that nobody reaches into our
// network through us. Names are judged as they are written: a Worker cannot see what they resolve to.

/** `allowLocal`: this machine over plain HTTP, for development. */
export function isAllowedWebhook(address: string, allowLocal: boolean): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname, username, password } = new URL(address)
  if (username !== '' || password !== '') return false
  const isThisMachine = hostname === 'localhost' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
  if (isThisMachine) return allowLocal && (protocol === 'http:' || protocol === 'https:')
  return protocol === 'https:' && !isLocalName(hostname) && !isPrivateAddress(hostname)
}

const isLocalName = (host: string): boolean =>
  !host.includes('.') || /\.(local|localhost|internal|home\.arpa)\.?$/.test(host)

/** URL has already brought every spelling of an IPv4 address into the four numbers. */
function isPrivateAddress(host: string): boolean {
  // An IPv6 address has no business in a public webhook that a name could not have.
  if (host.startsWith('[')) return true
  const numbers = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(host)
  if (numbers === null) return false
  const [a, b] = [Number(numbers[1]), Number(numbers[2])]
  return (
    [0, 10, 127].includes(a) ||
    a >= 224 ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && (b === 168 || b === 0)) ||
    (a === 198 && (b === 18 || b === 19))
  )
}

// The built client, held in memory with its compressed forms. What is not in the map does not exist, so no path from
// outside ever reaches the file system.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

export type ClientFile = {
  type: string
  /** Named after its content: may be kept for ever. */
  immutable: boolean
  etag: string
  plain: Buffer
  br: Buffer | null
  gzip: Buffer | null
}

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}
const COMPRESSIBLE = new Set(['.css', '.html', '.ico', '.js', '.json', '.svg', '.txt', '.webmanifest'])
/** Quality 11 would take seconds at start for a few per cent. */
const BROTLI_QUALITY = 9
/** Once per start, so the best there is. */
const GZIP_LEVEL = 9

/** Below it the compressed form is hardly smaller. */
const WORTH_BYTES = 500

const brotli = promisify(brotliCompress)
const deflate = promisify(gzip)

export async function loadClientFiles(directory: string): Promise<Map<string, ClientFile>> {
  const files = new Map<string, ClientFile>()
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    const name = `/${relative(directory, path).split(sep).join('/')}`
    // `.vite/` holds the build's own notes.
    if (!entry.isFile() || name.includes('/.') || ['.br', '.gz', '.map'].includes(extname(name))) continue
    files.set(name, await loadFile(path, name))
  }
  return files
}

async function loadFile(path: string, name: string): Promise<ClientFile> {
  const extension = extname(name)
  const plain = await readFile(path)
  const worthIt = COMPRESSIBLE.has(extension) && plain.length > WORTH_BYTES
  return {
    type: TYPES[extension] ?? 'application/octet-stream',
    immutable: name.startsWith('/assets/'),
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    plain,
    br: worthIt ? await brotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }) : null,
    gzip: worthIt ? await deflate(plain, { level: GZIP_LEVEL }) : null,
  }
}

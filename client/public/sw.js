// Lets the app open without a network: pages come from the network first, and from the last one kept when there is
// none; built files have their content in their name, so a kept one is always right. Never touches /api.
const CACHE = 'signal-feed-shell-1'
const SHELL = '/'
const FILES_MAX = 120

self.addEventListener('install', (event) => {
  event.waitUntil(keepShell().then(() => self.skipWaiting()))
})

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  )
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== self.location.origin || url.pathname.startsWith('/api/')) return
  if (request.mode === 'navigate') {
    event.respondWith(page(request))
    event.waitUntil(keepFiles())
  } else if (isBuilt(url.pathname)) event.respondWith(file(request))
})

const isBuilt = (path) => path.startsWith('/assets/') || path === '/theme.js' || path === '/favicon.svg'

/** The page and every built file, also those that are loaded on demand, so that the first visit is enough. */
async function keepShell() {
  const cache = await caches.open(CACHE)
  const answer = await fetch(SHELL, { credentials: 'same-origin' })
  if (!answer.ok) return
  await cache.put(SHELL, answer)
  await Promise.all([keepFiles(), ...['/theme.js', '/favicon.svg'].map((path) => keep(cache, path))])
}

/** Of the newest build; what is kept already is not asked for again. */
async function keepFiles() {
  try {
    const answer = await fetch('/files.json')
    if (!answer.ok) return
    const cache = await caches.open(CACHE)
    const kept = new Set((await cache.keys()).map((request) => new URL(request.url).pathname))
    const missing = (await answer.json()).filter((path) => !kept.has(path))
    await Promise.all(missing.map((path) => keep(cache, path)))
    await trim(cache)
  } catch {
    // The network went away meanwhile: the next page asks again.
  }
}

const keep = (cache, path) =>
  cache.add(path).catch(() => {
    // One file less without a network; the page asks for it again while there is one.
  })

async function page(request) {
  try {
    const answer = await fetch(request)
    // Every page is the same shell; what it shows is decided in it.
    if (answer.ok && !answer.redirected) {
      const cache = await caches.open(CACHE)
      await cache.put(SHELL, answer.clone())
    }
    return answer
  } catch (error) {
    const kept = await caches.match(SHELL)
    if (kept) return kept
    throw error
  }
}

async function file(request) {
  const cache = await caches.open(CACHE)
  const path = new URL(request.url).pathname
  if (path.startsWith('/assets/')) {
    const kept = await cache.match(request)
    if (kept) return kept
  }
  try {
    const answer = await fetch(request)
    if (answer.ok) {
      await cache.put(request, answer.clone())
      await trim(cache)
    }
    return answer
  } catch (error) {
    const kept = await cache.match(request)
    if (kept) return kept
    throw error
  }
}

/** Files of earlier builds, oldest first. */
async function trim(cache) {
  const requests = await cache.keys()
  const surplus = requests.filter((request) => new URL(request.url).pathname !== SHELL).slice(0, -FILES_MAX)
  await Promise.all(surplus.map((request) => cache.delete(request)))
}

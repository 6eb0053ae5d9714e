/** The built shell opens without a network; in development a worker would only serve yesterday's code. */
export function registerWorker() {
  if (import.meta.env.PROD && 'serviceWorker' in navigator)
    void navigator.serviceWorker.register('/sw.js').catch(() => {
      // Private windows refuse it: the app then needs a network to open, and nothing else changes.
    })
}

// Builds client/ into dist/client; in development the server mounts Vite with this same file.
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The names of all built files, for the service worker: what is loaded on demand must be there without a network too. */
const listBuiltFiles: Plugin = {
  name: 'signal-feed:files',
  apply: 'build',
  enforce: 'post',
  generateBundle(_options, bundle) {
    const names = Object.keys(bundle).filter((name) => name.startsWith('assets/'))
    const source = JSON.stringify(names.map((name) => `/${name}`).toSorted())
    this.emitFile({ type: 'asset', fileName: 'files.json', source })
  },
}

export default defineConfig({
  root: here('./client'),
  publicDir: here('./client/public'),
  cacheDir: here('./.cache/vite'),
  plugins: [react(), tailwindcss(), listBuiltFiles],
  // Written into every tag that needs a nonce; the server puts each answer's own in its place.
  html: { cspNonce: 'signal-feed-nonce' },
  build: {
    outDir: here('./dist/client'),
    emptyOutDir: true,
    manifest: true,
    target: 'es2023',
    // Browsers that know light-dark(); lowering it would double every colour.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // A data: URL would need a hole in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What every page needs and what changes only with an upgrade: kept by browsers across our own releases, and
          // smaller in one piece than in many.
          groups: [
            {
              name: 'vendor',
              test: /node_modules\/(react|react-dom|scheduler|wouter|regexparam|use-sync-external-store|@tanstack\/[\w-]+|@trpc\/[\w-]+)\//,
            },
            // Small files of ours that the first page shares with later parts: each by itself costs more than it holds.
            {
              name: 'base',
              test: /client\/src\/(texts\/(feed|shell)|ui\/(icon|anchor|toast)|live\/unread|lib\/(trpc|error-body|query-client|session|lazy-part))\.tsx?$|shared\/(talk|errors|limits)\.ts$/,
            },
          ],
        },
      },
    },
  },
})

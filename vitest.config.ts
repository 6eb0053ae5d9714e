// `unit`: pure logic and single files, no servers. `integration`: on real Redis and on both kinds of Postgres.
// `edge`: the Workers on workerd.
import { configDefaults, defineConfig } from 'vitest/config'

const INTEGRATION = '**/*.int.test.ts'

export default defineConfig({
  test: {
    passWithNoTests: true,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['**/*.test.{ts,tsx}'],
          exclude: [...configDefaults.exclude, INTEGRATION, 'e2e/**'],
          environment: 'node',
        },
      },
      {
        test: {
          name: 'integration',
          include: [INTEGRATION],
          exclude: [...configDefaults.exclude, 'edge/**', 'e2e/**'],
          environment: 'node',
          globalSetup: ['./scripts/testing/global-setup.ts'],
          // Starting a database on a busy machine takes seconds, not the default's five.
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'edge',
          include: ['edge/**/*.int.test.ts'],
          environment: 'node',
          // The public suite waits for streams to expire; a busy machine adds to that.
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // Each file starts its own workerd: one at a time is enough for two cores.
          fileParallelism: false,
        },
      },
    ],
  },
})

// `unit`: pure logic and single files, no servers. `integration`: on real Redis and on both kinds of Postgres.
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
          exclude: [...configDefaults.exclude, INTEGRATION, 'edge/**', 'e2e/**'],
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
    ],
  },
})

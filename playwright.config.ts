// Browser tests: the journeys of people through the built product, in a Chromium that is found by looking.
import { defineConfig, devices } from '@playwright/test'
import { findChromium } from './scripts/testing/programs.ts'

const executablePath = findChromium()

const LAUNCH_ARGS = [
  // Containers have no user namespaces for the sandbox and little shared memory.
  ...['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  // The browser must not talk to anybody but the product.
  ...['--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update'],
  '--disable-sync',
]

export default defineConfig({
  testDir: 'e2e/journeys',
  outputDir: 'test-results',
  // One product and one browser at a time leave room for the two to work on a small machine.
  workers: 1,
  fullyParallel: false,
  forbidOnly: process.env.CI === 'true',
  // A machine that others use too may stall for seconds; what fails twice has failed.
  retries: 1,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ? [['list'], ['json']] : [['list']],
  use: {
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
    launchOptions: { args: LAUNCH_ARGS, ...(executablePath === null ? {} : { executablePath }) },
  },
  projects: [{ name: 'chromium', use: { ...devices['Desktop Chrome'] } }],
})

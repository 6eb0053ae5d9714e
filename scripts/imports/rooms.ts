// Who may import whom. The first room whose prefix fits owns a file. A room may always import itself; what it may use
// besides is listed, and everything else in the repository is out of its sight. Tests may import anything.

export type Room = {
  name: string
  /** Beginnings of paths; a whole path names one file. */
  paths: string[]
  /** Beginnings of paths it may import besides its own. */
  mayUse: string[]
  /** As `mayUse`, but only with `import type`. */
  mayUseTypes?: string[]
  /** When given, the only packages it may use (`node:` is Node itself). */
  onlyPackages?: string[]
  /** Packages that would tie it to a part of the outside that it must not know. */
  notPackages?: string[]
  /** Gets time, chance and settings as arguments. */
  pure?: boolean
}

const SERVER_WORDS = ['shared/', 'server/domain/', 'server/config/']
const PORTS = ['ports', 'read-ports', 'log-ports', 'delivery-ports', 'webhook-ports', 'edge-ports'].map(
  (name) => `server/app/${name}.ts`,
)
const STORES = [...SERVER_WORDS, ...PORTS, 'server/telemetry/', 'drizzle/']
const TALKERS = [
  ...['server/http/', 'server/routers/', 'server/routers.ts', 'server/trpc.ts', 'server/middleware/'],
  ...['server/live/', 'server/delivery/', 'server/jobs/'],
]
const ADAPTER_PACKAGES = ['express', 'drizzle-orm', 'pg', 'redis', '@electric-sql/pglite']
const SCREENS = ['client/src/ui/', 'client/src/lib/', 'client/src/hooks/', 'client/src/texts/']

export const ROOMS: Room[] = [
  // The system clock lives here as one of the two clocks that others are given.
  { name: 'shared/clock', paths: ['shared/clock.ts'], mayUse: [], onlyPackages: [] },
  { name: 'shared', paths: ['shared/'], mayUse: [], onlyPackages: ['zod'], pure: true },
  { name: 'drizzle', paths: ['drizzle/'], mayUse: ['shared/'], onlyPackages: ['drizzle-orm', 'node:'] },
  { name: 'server/domain', paths: ['server/domain/'], mayUse: ['shared/'], onlyPackages: ['zod'], pure: true },
  {
    name: 'server/app',
    paths: ['server/app/'],
    mayUse: [...SERVER_WORDS, 'server/telemetry/'],
    notPackages: ADAPTER_PACKAGES,
    pure: true,
  },
  { name: 'server/db', paths: ['server/db/'], mayUse: STORES, notPackages: ['express', 'redis'] },
  { name: 'server/redis', paths: ['server/redis/'], mayUse: STORES, notPackages: ['express', 'drizzle-orm', 'pg'] },
  {
    name: 'server/edge-client',
    paths: ['server/edge-client/'],
    mayUse: STORES,
    notPackages: ADAPTER_PACKAGES,
  },
  // Requests to addresses that people typed leave by this one door.
  { name: 'server/egress', paths: ['server/egress/'], mayUse: STORES, notPackages: ADAPTER_PACKAGES },
  // better-auth keeps its own tables, so accounts both remember and talk; nobody else may do the two together.
  {
    name: 'server/accounts',
    paths: ['server/accounts/'],
    mayUse: [...STORES, 'server/http/error-map.ts'],
    notPackages: ['redis'],
  },
  { name: 'server/config', paths: ['server/config/'], mayUse: ['shared/'] },
  { name: 'server/telemetry', paths: ['server/telemetry/'], mayUse: SERVER_WORDS },
  { name: 'server/embedded', paths: ['server/embedded/'], mayUse: [], notPackages: ['express', 'redis'] },
  {
    name: 'the part of the server that talks',
    paths: TALKERS,
    mayUse: [...SERVER_WORDS, 'server/app/', 'server/accounts/', 'server/telemetry/'],
    // What they are given, not how it is built.
    mayUseTypes: ['server/services.ts'],
    notPackages: ['pg', 'redis', 'drizzle-orm'],
  },
  { name: 'server', paths: ['server/'], mayUse: ['shared/', 'drizzle/'] },
  {
    name: 'client/src/live and hooks',
    paths: ['client/src/live/', 'client/src/hooks/'],
    mayUse: ['client/src/lib/', 'shared/'],
  },
  { name: 'client/src/ui', paths: ['client/src/ui/'], mayUse: ['client/src/lib/', 'client/src/texts/', 'shared/'] },
  {
    name: 'client/src/lib',
    paths: ['client/src/lib/'],
    mayUse: ['shared/', 'client/src/texts/'],
    mayUseTypes: ['server/routers.ts'],
  },
  { name: 'client/src/texts', paths: ['client/src/texts/'], mayUse: ['shared/'] },
  {
    name: 'client/src/feed',
    paths: ['client/src/feed/'],
    mayUse: [...SCREENS, 'client/src/live/', 'shared/'],
    mayUseTypes: ['server/routers.ts'],
  },
  { name: 'client', paths: ['client/'], mayUse: ['shared/'], mayUseTypes: ['server/routers.ts'] },
  { name: 'edge core', paths: ['edge/streams/core/'], mayUse: ['shared/'], onlyPackages: ['zod'], pure: true },
  { name: 'edge/lib', paths: ['edge/lib/'], mayUse: ['shared/'], onlyPackages: ['zod', 'jose'] },
  // A Worker reaches another one by its binding, never by its source.
  { name: 'edge/streams', paths: ['edge/streams/'], mayUse: ['edge/lib/', 'shared/'], notPackages: ['node:'] },
  {
    name: 'edge/subscriptions core',
    paths: ['edge/subscriptions/core/', 'edge/subscriptions/constants.ts'],
    mayUse: ['edge/streams/core/', 'shared/'],
    onlyPackages: ['zod'],
    pure: true,
  },
  {
    name: 'edge/subscriptions',
    paths: ['edge/subscriptions/'],
    // The words of the protocol; of the other Worker only what it answers.
    mayUse: ['edge/lib/', 'edge/streams/core/', 'edge/streams/request-body.ts', 'shared/'],
    mayUseTypes: ['edge/streams/core-service.ts', 'edge/streams/rpc.ts'],
    notPackages: ['node:'],
  },
  { name: 'edge/jobs core', paths: ['edge/jobs/core/'], mayUse: ['shared/'], onlyPackages: ['zod'], pure: true },
  { name: 'edge/jobs testing', paths: ['edge/jobs/testing/'], mayUse: ['edge/jobs/', 'scripts/testing/', 'shared/'] },
  {
    name: 'edge/jobs',
    paths: ['edge/jobs/'],
    mayUse: ['edge/lib/', 'edge/streams/core/refusal.ts', 'edge/streams/request-body.ts', 'shared/'],
    notPackages: ['node:'],
  },
  {
    name: 'edge/faults',
    paths: ['edge/faults/'],
    mayUse: ['edge/lib/', 'shared/'],
    mayUseTypes: ['edge/streams/core/', 'edge/streams/core-service.ts', 'edge/subscriptions/core/'],
    notPackages: ['node:'],
  },
  {
    name: 'edge/hub core',
    paths: ['edge/hub/core/'],
    mayUse: ['edge/lib/access.ts', 'edge/streams/core/', 'shared/'],
    onlyPackages: ['zod'],
    pure: true,
  },
  {
    name: 'edge/hub',
    paths: ['edge/hub/'],
    mayUse: ['edge/lib/', 'edge/streams/core/', 'edge/streams/request-body.ts', 'shared/'],
    notPackages: ['node:'],
  },
  { name: 'edge/gateway', paths: ['edge/gateway/'], mayUse: ['edge/lib/', 'shared/'], notPackages: ['node:'] },
  { name: 'monitoring', paths: ['monitoring/'], mayUse: [], notPackages: ['pg', 'redis', 'express'] },
  // What somebody else would write against us.
  { name: 'docs/examples', paths: ['docs/examples/'], mayUse: ['shared/'] },
  { name: 'e2e', paths: ['e2e/'], mayUse: ['shared/', 'scripts/testing/'] },
  {
    name: 'bench',
    paths: ['bench/'],
    mayUse: ['shared/', 'server/', 'drizzle/', 'scripts/', 'edge/jobs/testing/', 'edge/hub/core/'],
  },
  { name: 'scripts', paths: ['scripts/'], mayUse: ['shared/', 'server/', 'drizzle/', 'bench/', 'monitoring/src/'] },
]

// What is kept on this device between visits: the newest page of a few lists, topics and counts, unsent posts and read
// marks. One record per person and kind in IndexedDB, gone when they sign out. A browser that forbids storage only makes
// the next start slower, so no failure here is anybody's problem.

const DATABASE = 'signal-feed'
const STORE = 'saved'
/** Raise it when the shape of anything saved changes: older records are then left unread. */
const VERSION = 2

export type SavedKind = 'screens' | 'posts' | 'marks' | 'reactions' | 'losses'

let opening: Promise<IDBDatabase> | null = null

function open(): Promise<IDBDatabase> {
  opening ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(STORE)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
    request.onblocked = () => reject(new Error('storage is blocked'))
  })
  return opening
}

async function run<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T | undefined> {
  try {
    const database = await open()
    return await new Promise<T>((resolve, reject) => {
      const request = act(database.transaction(STORE, mode).objectStore(STORE))
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
  } catch {
    return undefined
  }
}

const keyOf = (person: string, kind: SavedKind) => [VERSION, person, kind]

export const load = <T>(person: string, kind: SavedKind): Promise<T | undefined> =>
  run('readonly', (store) => store.get(keyOf(person, kind)) as IDBRequest<T>)

export const save = (person: string, kind: SavedKind, value: unknown): Promise<unknown> =>
  run('readwrite', (store) => store.put(value, keyOf(person, kind)))

/** Everybody's: whoever signs out of a shared browser expects nothing to stay in it. */
export const forgetAll = (): Promise<unknown> => run('readwrite', (store) => store.clear())

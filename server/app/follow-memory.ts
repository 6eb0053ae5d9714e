// What people who are here follow, in memory, so that counting costs no query. Forgotten when something is heard that may
// have changed it: their own follows and mutes, changes of members, a topic that turns private; and all of it when such
// messages may have been lost.
import type { Followed, FollowedTopic, TopicStore } from './ports.ts'

const PEOPLE_MAX = 5_000

export class FollowMemory {
  readonly #topics: Pick<TopicStore, 'followed' | 'followsVersions'>
  readonly #people = new Map<string, Promise<Followed>>()

  constructor(topics: Pick<TopicStore, 'followed' | 'followsVersions'>) {
    this.#topics = topics
  }

  async of(viewer: string): Promise<readonly FollowedTopic[]> {
    let followed = this.#people.get(viewer)
    if (followed) this.#people.delete(viewer)
    else {
      followed = this.#topics.followed(viewer)
      followed.catch(() => this.#people.delete(viewer))
    }
    // The longest unasked goes first.
    this.#people.set(viewer, followed)
    if (this.#people.size > PEOPLE_MAX) this.#people.delete(this.#people.keys().next().value!)
    return (await followed).topics
  }

  forget(viewer: string): void {
    this.#people.delete(viewer)
  }

  forgetAll(): void {
    this.#people.clear()
  }

  /** In case a message was lost. */
  async audit(): Promise<void> {
    const known = new Map(
      await Promise.all([...this.#people].map(async ([viewer, one]) => [viewer, await one] as const)),
    )
    if (known.size === 0) return
    const current = await this.#topics.followsVersions([...known.keys()])
    for (const [viewer, { version }] of known) if (current.get(viewer) !== version) this.forget(viewer)
  }
}

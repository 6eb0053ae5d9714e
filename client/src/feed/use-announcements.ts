// What a screen reader is told of arrivals: how many, every ten seconds at most; a mention of the reader at once.
import { useEffect, useState } from 'react'
import { usePersonLive } from '../live/live-context.ts'
import { belongs, type Scope } from '../live/merge.ts'
import { feedTexts } from '../texts/feed.ts'

const EVERY_MS = 10_000

export function useAnnouncements(scope: Scope): string {
  const { cache, me } = usePersonLive()
  const [text, setText] = useState('')

  useEffect(() => {
    const told = new Set(cache.recentList().map((item) => item.id))
    let waiting = 0
    let toldAt = 0
    let timer: ReturnType<typeof setTimeout> | undefined

    const tell = () => {
      timer = undefined
      toldAt = Date.now()
      setText(feedTexts.announce.arrived(waiting, scope.topic))
      waiting = 0
    }
    const unsubscribe = cache.subscribe(() => {
      const recent = cache.recentList()
      for (const item of recent) {
        if (told.has(item.id)) continue
        told.add(item.id)
        const isOwn = item.actor.kind === 'person' && item.actor.id === me.id
        if (isOwn || !belongs(scope, item, me.handle, cache.follows())) continue
        if (item.mentions.includes(me.handle)) setText(feedTexts.announce.mentioned(item.actor.name, item.topic.name))
        else waiting += 1
      }
      if (waiting > 0) timer ??= setTimeout(tell, Math.max(0, toldAt + EVERY_MS - Date.now()))
    })
    return () => {
      unsubscribe()
      clearTimeout(timer)
    }
  }, [cache, me, scope])

  return text
}

// Notes on the desktop for mentions and for comments that concern the reader, when they asked for them, nobody looks at
// the page and it is no quiet hour. One tab speaks for all; the browser replaces a note of the same tag.
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { places } from '../lib/places.ts'
import { preferences } from '../lib/preferences.ts'
import { isQuiet, mayCall } from '../lib/quiet-hours.ts'
import { usePersonLive } from '../live/live-context.ts'
import { bellTexts } from '../texts/bell.ts'

type Call = { tag: string; title: string; body: string; activity: number; topic: number }

export function useDesktopCalls() {
  const { cache, me, leads, mutedTopics } = usePersonLive()
  const [, navigate] = useLocation()

  useEffect(() => {
    function call({ tag, title, body, activity, topic }: Call) {
      const { desktop, quiet } = preferences()
      const now = new Date()
      const may = mayCall({
        hidden: document.visibilityState === 'hidden',
        allowed: 'Notification' in window && Notification.permission === 'granted',
        wanted: desktop,
        leads: leads(),
        muted: mutedTopics().has(topic),
        quiet: isQuiet(quiet, { hours: now.getHours(), minutes: now.getMinutes() }),
      })
      if (!may) return
      const note = new Notification(title, { body, tag, icon: '/favicon.svg' })
      note.onclick = () => {
        focus()
        navigate(places.activity(activity))
        note.close()
      }
    }

    const told = new Set(cache.recentList().map((item) => item.id))
    const endMentions = cache.subscribe(() => {
      for (const item of cache.recentList()) {
        if (told.has(item.id)) continue
        told.add(item.id)
        if (!item.mentions.includes(me.handle) || (item.actor.kind === 'person' && item.actor.id === me.id)) continue
        const title = bellTexts.desktopTitle(item.actor.name, bellTexts.kinds.activity, item.topic.name)
        call({ tag: `activity-${item.id}`, title, body: item.summary, activity: item.id, topic: item.topic.id })
      }
    })
    const endNotices = cache.onTalk(({ concerns, comment }, topic) => {
      if (!comment || !concerns.includes(me.id)) return
      const kind = comment.mentions.includes(me.handle) ? 'activity' : comment.parent === null ? 'comment' : 'reply'
      const what = bellTexts.kinds[kind].replace(/ on$/, '')
      const title = `${comment.author.name} ${what}`
      call({ tag: `comment-${comment.id}`, title, body: comment.text, activity: comment.activity, topic })
    })
    return () => {
      endMentions()
      endNotices()
    }
  }, [cache, me, leads, mutedTopics, navigate])
}

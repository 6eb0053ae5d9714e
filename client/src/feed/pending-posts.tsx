// One's own posts that the server does not have yet, above the feed. Their rows are loaded with the first one.
import { Suspense } from 'react'
import { useOutbox } from '../hooks/useOutbox.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { feedTexts } from '../texts/feed.ts'

const PendingPost = lazyPart(
  () => import('./pending-post.tsx'),
  (module) => module.PendingPost,
)

export function PendingPosts({ topic }: { topic?: string | undefined }) {
  const posts = useOutbox().filter((post) => topic === undefined || post.topic === topic)
  if (posts.length === 0) return null
  return (
    <Suspense>
      <ul aria-label={feedTexts.pending.label}>
        {posts.toReversed().map((post) => (
          <PendingPost key={post.key} post={post} showTopic={topic === undefined} />
        ))}
      </ul>
    </Suspense>
  )
}

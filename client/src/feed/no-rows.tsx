// A list that is empty: what that means here, and what one can do about it.
import { openComposer } from '../hooks/useComposer.ts'
import { places } from '../lib/places.ts'
import type { Scope } from '../live/merge.ts'
import { feedTexts } from '../texts/feed.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { verbName } from './headline.ts'

export type EmptyProps = { scope: Scope; followed: boolean; mayPost: boolean; onAllKinds: () => void }

export function NoRows({ scope, followed, onAllKinds, mayPost }: EmptyProps) {
  const { empty } = feedTexts
  if (scope.verb !== undefined) {
    return (
      <EmptyState
        icon="filter"
        title={empty.kind(verbName(scope.verb))}
        action={<Button onClick={onAllKinds}>{empty.showAll}</Button>}
      >
        {empty.kindText}
      </EmptyState>
    )
  }
  if (scope.filter === 'unread') {
    return (
      <EmptyState icon="check-all" title={empty.unread}>
        {empty.unreadText}
      </EmptyState>
    )
  }
  if (scope.filter === 'mentions') {
    return (
      <EmptyState icon="at" title={empty.mentions}>
        {empty.mentionsText}
      </EmptyState>
    )
  }
  const action =
    scope.topic === undefined ? (
      <ButtonLink to={places.topics} icon="search">
        {empty.browse}
      </ButtonLink>
    ) : (
      mayPost && (
        <Button icon="pencil" onClick={openComposer}>
          {empty.post}
        </Button>
      )
    )
  return (
    <EmptyState icon="inbox" title={empty.all} action={action}>
      {scope.topic === undefined ? empty.allText : followed ? empty.topicText : empty.unfollowedText}
    </EmptyState>
  )
}

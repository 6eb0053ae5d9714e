import { places } from '../lib/places.ts'
import { useTitle } from '../lib/use-title.ts'
import { texts } from '../texts/shell.ts'
import { ButtonLink } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

export function NotFound() {
  useTitle(texts.notFound.title)
  return (
    <EmptyState
      icon="search"
      title={texts.notFound.title}
      level={1}
      action={<ButtonLink to={places.all}>{texts.notFound.home}</ButtonLink>}
    >
      {texts.notFound.text}
    </EmptyState>
  )
}

/** Missing and hidden topics look the same on purpose. */
export function NoSuchTopic() {
  useTitle(texts.nav.topics)
  return (
    <EmptyState
      icon="lock"
      title={texts.topic.missing}
      level={1}
      action={<ButtonLink to={places.topics}>{texts.nav.browse}</ButtonLink>}
    >
      {texts.topic.missingHint}
    </EmptyState>
  )
}

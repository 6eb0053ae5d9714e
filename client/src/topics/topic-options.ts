import type { Posting, Visibility } from '#shared/topic.ts'
import { texts } from '../texts/shell.ts'
import type { IconName } from '../ui/icon.tsx'

const t = texts.topic

type Option<T> = { value: T; text: string; hint: string; icon?: IconName }

export const VISIBILITY_OPTIONS: Option<Visibility>[] = [
  { value: 'public', text: t.visibility.public, hint: t.visibilityHint.public, icon: 'globe' },
  { value: 'private', text: t.visibility.private, hint: t.visibilityHint.private, icon: 'lock' },
]

export const POSTING_OPTIONS: Option<Posting>[] = [
  { value: 'everyone', text: t.posting.everyone, hint: t.postingHint.everyone },
  { value: 'owners', text: t.posting.owners, hint: t.postingHint.owners },
]

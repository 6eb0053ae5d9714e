// Every English word of the search page.

export const searchTexts = {
  title: 'Search',
  titleOf: (q: string) => `${q} · Search`,
  field: 'Search activities and topics',
  placeholder: 'Words, names, versions',
  hint: 'Beginnings of words are enough. All of them must be in an activity, or in the name of who did it.',
  start: 'What are you looking for?',
  topics: 'Topics',
  results: 'Activities',
  found: (n: number, more: boolean) =>
    n === 1 ? '1 activity found' : `${more ? 'More than ' : ''}${n} activities found`,
  none: (q: string) => `Nothing found for "${q}"`,
  noneText: 'Try fewer words or only their beginnings. Activities of topics that you cannot see are not searched.',
  failed: 'The search did not work.',
  offline: 'Searching needs a connection. It goes on when there is one.',
  older: 'Show older',
  newTab: 'opens in a new tab',
}

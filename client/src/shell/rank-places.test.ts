import { describe, expect, it } from 'vitest'
import { type Place, rankPlaces } from './rank-places.ts'

const place = (text: string, followed = false): Place => ({ to: `/t/${text}`, text, followed })
const names = (places: Place[]) => places.map(({ text }) => text)

const all = [
  place('team/deploy-crew'),
  place('infra/deploys', true),
  place('project/apollo', true),
  place('project/re-apollo'),
  place('user/apo'),
]

describe('[FEED-19] going to a topic by typing', () => {
  it('puts an exact name before beginnings, and beginnings before the middle', () => {
    expect(names(rankPlaces(all, 'apo'))).toEqual(['user/apo', 'project/apollo', 'project/re-apollo'])
  })

  it('prefers followed topics among equals', () => {
    expect(names(rankPlaces(all, 'dep'))).toEqual(['infra/deploys', 'team/deploy-crew'])
  })

  it('finds by kind, ignores case, a leading mark and spaces', () => {
    expect(names(rankPlaces(all, ' #PROJECT '))).toEqual(['project/apollo', 'project/re-apollo'])
  })

  it('lists followed topics first when nothing is typed, and no more than asked for', () => {
    expect(names(rankPlaces(all, '', 3))).toEqual(['infra/deploys', 'project/apollo', 'project/re-apollo'])
  })

  it('finds nothing for what does not occur', () => {
    expect(rankPlaces(all, 'zeus')).toEqual([])
  })
})

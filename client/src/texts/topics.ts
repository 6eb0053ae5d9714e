// Every English word of the pages and dialogs in which topics are found, created and managed.
import type { Visibility } from '#shared/topic.ts'

const count = (n: number) => n.toLocaleString('en')

export const topicTexts = {
  browse: {
    title: 'Topics',
    hint: 'Follow what you want in your feed.',
    filter: 'Filter topics',
    followers: (n: number) => (n === 1 ? '1 follower' : `${count(n)} followers`),
    activities: (n: number) => (n === 1 ? '1 activity' : `${count(n)} activities`),
    none: 'No topics yet',
    noneHint: 'Create the first one: a project, a team, or a place for your tools to post.',
    noMatch: (q: string) => `No topic with "${q}" in its name or description.`,
  },

  create: {
    title: 'New topic',
    name: 'Name',
    nameHint: 'A kind and a name in lower case, such as project/apollo.',
    description: 'Description',
    descriptionHint: 'Optional. What belongs here?',
    visibility: 'Who can see it',
    posting: 'Who can post',
    button: 'Create topic',
  },

  manage: {
    title: (name: string) => `Settings of ${name}`,
    general: 'General',
    members: 'Members',
    membersHint: {
      public: 'Everybody can read a public topic. Members listed here stay in when it becomes private.',
      private: 'Only the people listed here can see this topic.',
    } satisfies Record<Visibility, string>,
    add: 'Add somebody',
    addHint: 'Type a name or handle.',
    addNone: (q: string) => `Nobody called "${q}".`,
    alreadyIn: 'already in',
    role: (name: string) => `Role of ${name}`,
    remove: (name: string) => `Remove ${name}`,
    removed: (name: string) => `${name} is no longer in this topic.`,
    added: (name: string) => `${name} is in this topic now.`,
    you: 'you',
    toPrivate: 'People who are not members will no longer see this topic, its history included.',
    toPublic: 'Everybody will be able to read this topic, its history included.',
    leave: 'Leave this topic',
    leaveHint: {
      public: 'You give up your role. You can still read it.',
      private: 'You will no longer see it, and only an owner can add you again.',
    } satisfies Record<Visibility, string>,
    leaveAsk: (name: string) => `Leave ${name}?`,
    leaveButton: 'Leave',
    notOwner: 'Only owners can change this topic.',
  },
}

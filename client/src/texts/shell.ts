// Every English word of the frame and the settings. Screens hold no text of their own. The words of pages that load later
// are in files of their own, which load with them.
import type { MemberRole, Posting, Visibility } from '#shared/topic.ts'

const count = (n: number) => n.toLocaleString('en')

export const texts = {
  product: 'Signal Feed',
  close: 'Close',
  loading: 'Loading',
  tryAgain: 'Try again',
  cancel: 'Cancel',
  save: 'Save',
  saved: 'Saved.',
  back: 'Back',
  skip: 'Skip to content',
  toast: { label: 'Notes' },

  failed: {
    /** When the server did not answer at all. */
    unreachable: 'The server cannot be reached.',
    notSaved: 'This was not saved.',
    page: 'This could not be loaded.',
  },

  nav: {
    label: 'Topics and pages',
    all: 'All activity',
    mentions: 'Mentions',
    topics: 'Topics',
    muted: 'Muted',
    browse: 'Browse topics',
    search: 'Search activities and topics',
    create: 'New topic',
    developers: 'Developers',
    settings: 'Settings',
    private: 'Private',
    mentioned: 'You are mentioned',
    unread: (n: number) => `${count(n)} unread`,
    noTopics: 'You follow no topics yet.',
    open: 'Topics',
    account: 'Account',
    signOut: 'Sign out',
    ops: 'Operator console',
    shortcuts: 'Keyboard shortcuts',
  },

  phone: { label: 'Main', feed: 'Feed', mentions: 'Mentions', post: 'Post', search: 'Search', you: 'You' },

  bot: { name: 'Demo bot', pause: 'pause', resume: 'resume', running: 'is posting', paused: 'is paused' },

  about: {
    title: 'About',
    open: 'About this topic',
    openPage: 'About this page',
    all: 'Everything from the topics you follow, except muted ones, newest first.',
    mentions: 'Everything that names you, from every topic you can see.',
    none: 'No description yet.',
    followers: 'Followers',
    latest: 'Latest',
    latestNo: (n: number) => (n === 0 ? 'nothing yet' : `no. ${count(n)}`),
    kept: 'Kept for',
    days: '30 days',
    following: 'Following',
    topics: (n: number) => (n === 1 ? '1 topic' : `${count(n)} topics`),
    posting: 'Posting',
    members: 'Members',
    owners: 'Owners',
  },

  keyboard: {
    title: 'Keyboard',
    dialog: 'Keyboard shortcuts',
    off: 'Single-key shortcuts are turned off in the settings.',
    list: [
      { keys: ['J', 'K'], text: 'Next, previous' },
      { keys: ['Enter'], text: 'Open or fold' },
      { keys: ['N'], text: 'Next unread' },
      { keys: ['M'], text: 'Read, unread' },
      { keys: ['E'], text: 'React' },
      { keys: ['R'], text: 'Comment' },
      { keys: ['⇧', 'A'], text: 'Mark all read' },
      { keys: ['C'], text: 'Post' },
      { keys: ['/'], text: 'Search' },
      { keys: ['G'], text: 'Go to a topic' },
      { keys: ['?'], text: 'All shortcuts' },
    ],
    more: [
      { keys: ['Esc'], text: 'Close what is open' },
      { keys: ['Tab'], text: 'Next control' },
    ],
  },

  go: {
    field: 'Go to a topic or page',
    title: 'Go to',
    placeholder: 'Type a topic, such as apollo',
    results: 'Topics and pages',
    none: (q: string) => `No topic with "${q}" in its name.`,
    following: 'Following',
  },

  ended: {
    title: 'Your session ended',
    text: 'What you see is saved, and what you wrote is kept. Sign in to go on.',
    button: 'Sign in',
  },

  gate: {
    title: 'Signal Feed cannot be reached',
    text: 'Nothing is saved in this browser yet, so there is nothing to show until the server answers.',
  },

  topic: {
    visibility: { public: 'Public', private: 'Private' } satisfies Record<Visibility, string>,
    visibilityHint: {
      public: 'Everybody here can find, read and follow it.',
      private: 'Only members can find and read it.',
    } satisfies Record<Visibility, string>,
    posting: { everyone: 'Everybody', owners: 'Owners only' } satisfies Record<Posting, string>,
    postingHint: {
      everyone: 'Whoever can see the topic can post.',
      owners: 'Others read along.',
    } satisfies Record<Posting, string>,
    role: { owner: 'Owner', member: 'Member' } satisfies Record<MemberRole, string>,
    follow: 'Follow',
    following: 'Following',
    mutedState: 'Muted',
    mute: 'Mute',
    muteHint: 'Stays in the sidebar, without counts.',
    unmute: 'Unmute',
    unfollow: 'Unfollow',
    menu: 'Follow options',
    settings: 'Topic settings',
    back: 'Back to the topic',
    missing: 'This topic does not exist, or you are not in it.',
    missingHint: 'If somebody sent you here, ask an owner of the topic to add you.',
    followed: (name: string) => `You follow ${name}.`,
    unfollowed: (name: string) => `You no longer follow ${name}.`,
    undo: 'Undo',
  },

  notFound: {
    title: 'There is no such page',
    text: 'The address may be mistyped, or the page has moved.',
    home: 'To the feed',
  },

  crash: {
    title: 'This page broke',
    text: 'What you wrote is kept. Load the page again to go on.',
    reload: 'Load again',
  },
}

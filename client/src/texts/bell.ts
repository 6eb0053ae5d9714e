// Every English word of the bell and its settings.

const count = (n: number) => n.toLocaleString('en')

export const bellTexts = {
  label: (n: number) => (n === 0 ? 'Notifications' : `Notifications, ${count(n)} unread`),
  title: 'Notifications',
  empty: 'Nobody needs you right now.',
  failed: 'The list could not be loaded.',
  markAll: 'Mark all read',
  notMarked: 'The server cannot be reached.',
  allMentions: 'All mentions',
  unread: 'Unread',
  kinds: {
    activity: 'mentioned you',
    mention: 'mentioned you on',
    reply: 'replied on',
    comment: 'commented on',
  },
  desktopTitle: (name: string, what: string, topic: string) => `${name} ${what} in ${topic}`,
  settings: {
    title: 'Notifications',
    desktop: 'Desktop notifications',
    desktopHint: 'For mentions and replies while no tab is in sight. Kept in this browser only.',
    refused: 'The browser does not allow them. Change that in its settings for this page first.',
    quiet: 'Quiet hours',
    quietHint: 'No desktop notifications then. Counts go on.',
    from: 'From',
    to: 'To',
  },
}

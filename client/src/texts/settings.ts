// Every English word of the settings, which are not part of the first load.

export const settingsTexts = {
  title: 'Settings',
  you: 'You',
  handle: 'Handle',
  handleHint: 'Others mention you by it. It cannot be changed.',
  look: 'Look',
  theme: 'Theme',
  themes: { system: 'System', light: 'Light', dark: 'Dark' },
  density: 'Density',
  densities: { comfortable: 'Comfortable', compact: 'Compact' },
  keyboard: 'Keyboard',
  shortcuts: 'Single-key shortcuts',
  shortcutsHint: 'J, K, M and the others act while no field is focused.',
  showShortcuts: 'Show all shortcuts',
  session: 'This browser',
  signedInAs: (email: string) => `Signed in as ${email}.`,
  browserOnly: 'Kept in this browser only.',
  tools: 'Tools',
  toolsHint: 'Tools publish with keys of yours, and hear of every activity by webhooks.',
  openKeys: 'Keys and webhooks',
}

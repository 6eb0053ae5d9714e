// Runs before the first paint, so that a chosen theme does not flash. A file of its own because the page allows no
// inline scripts; it must stay tiny. The names are those of src/lib/preferences.ts.
try {
  const saved = JSON.parse(localStorage.getItem('signal-feed.preferences') ?? '{}')
  const root = document.documentElement
  if (saved.theme === 'light' || saved.theme === 'dark') root.dataset.theme = saved.theme
  if (saved.density === 'compact') root.dataset.density = 'compact'
} catch {
  // Nothing saved, or storage is forbidden: the system's theme applies.
}

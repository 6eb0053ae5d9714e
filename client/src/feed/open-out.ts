export const openOut = (url: string) => void window.open(url, '_blank', 'noopener,noreferrer')

// The page allows only style elements that carry the nonce of this very answer. What Radix adds to the page while it
// runs (its scroll lock) takes the nonce from a global of this name; the bundlers' common name for it.

export function shareNonce() {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce
  if (nonce) Object.assign(globalThis, { __webpack_nonce__: nonce })
}

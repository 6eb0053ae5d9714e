// The reference: a Worker that gives every frame back, and nothing else.

declare const WebSocketPair: new () => Record<0 | 1, WebSocket & { accept: () => void }>

export default {
  fetch(): Response {
    const pair = new WebSocketPair()
    pair[1].accept()
    pair[1].addEventListener('message', ({ data }) => pair[1].send(data))
    return new Response(null, { status: 101, webSocket: pair[0] } as ResponseInit)
  },
}

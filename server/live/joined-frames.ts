// Many connections get the same frames in one window: they are joined once, and all of them get the same bytes.

export class JoinedFrames {
  #frames: readonly Buffer[] = []
  #bytes: Buffer = Buffer.alloc(0)

  of(frames: readonly Buffer[]): Buffer {
    if (frames.length === 1) return frames[0]!
    if (!this.#isSame(frames)) {
      this.#frames = frames
      this.#bytes = Buffer.concat(frames)
    }
    return this.#bytes
  }

  #isSame(frames: readonly Buffer[]): boolean {
    if (frames.length !== this.#frames.length) return false
    for (let i = 0; i < frames.length; i++) if (frames[i] !== this.#frames[i]) return false
    return true
  }
}

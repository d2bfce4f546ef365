const { AudioWorkletProcessor, registerProcessor, sampleRate } = globalThis;

/** Sends the input as 16-bit PCM in pieces of 20 ms. Runs in the audio thread of the browser. */
class Capture extends AudioWorkletProcessor {
  constructor() {
    super();
    this.piece = new Int16Array(Math.round(sampleRate / 50));
    this.filled = 0;
  }

  process([[samples] = []]) {
    for (const sample of samples ?? []) {
      this.piece[this.filled] = Math.max(-1, Math.min(1, sample)) * 32_767;
      this.filled += 1;
      if (this.filled < this.piece.length) continue;
      this.port.postMessage(this.piece.slice());
      this.filled = 0;
    }
    return true;
  }
}

registerProcessor('capture', Capture);

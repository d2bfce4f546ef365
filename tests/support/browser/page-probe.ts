import type { Page } from 'playwright-core';

/*
 * Runs in the page and records which objects it opens for a call and what its audio track plays. The page must store
 * the session of the call as `session`.
 */
const SCRIPT = `(() => {
  const opened = [];
  const Context = AudioContext;
  const watch = (name, isOver) => {
    globalThis[name] = class extends globalThis[name] {
      constructor(...given) { super(...given); opened.push({ name, isOver: () => isOver(this) }); }
    };
  };
  const connections = [];
  const Connection = RTCPeerConnection;
  globalThis.RTCPeerConnection = class extends Connection {
    constructor(...given) { super(...given); connections.push(this); }
    get connectionState() { return this.pretended ?? super.connectionState; }
  };
  watch('RTCPeerConnection', (connection) => connection.connectionState === 'closed');
  watch('WebSocket', (socket) => socket.readyState === WebSocket.CLOSED);
  watch('AudioContext', (context) => context.state === 'closed');
  const { mediaDevices } = navigator;
  const getUserMedia = mediaDevices.getUserMedia.bind(mediaDevices);
  mediaDevices.getUserMedia = async (constraints) => {
    const stream = await getUserMedia(constraints);
    for (const track of stream.getTracks()) opened.push({ name: 'microphone', isOver: () => track.readyState === 'ended' });
    return stream;
  };

  let context = null, analyser = null, listenedTo = null, loudMs = 0, lookedMs = 0;
  const samples = new Float32Array(1024);
  const EVERY_MS = 20, MAX_STEP_MS = 100;
  setInterval(() => {
    // Measures the time, because the timer of a busy page is late.
    const nowMs = performance.now();
    const stepMs = Math.min(MAX_STEP_MS, nowMs - lookedMs);
    lookedMs = nowMs;
    const track = globalThis.session?.agentTrack ?? null;
    if (track !== listenedTo) {
      listenedTo = track;
      analyser = null;
      if (track) {
        context ??= new Context();
        analyser = context.createAnalyser();
        analyser.fftSize = samples.length;
        context.createMediaStreamSource(new MediaStream([track])).connect(analyser);
      }
    }
    if (!analyser) return;
    analyser.getFloatTimeDomainData(samples);
    if (Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length) > 0.01) loudMs += stepMs;
  }, EVERY_MS);
  globalThis.probe = {
    loudMs: () => loudMs,
    opened: () => opened.map(({ name }) => name),
    stillOpen: () => opened.filter(({ isOver }) => !isOver()).map(({ name }) => name),
    pretend: (state) => {
      for (const connection of connections) {
        if (connection.connectionState === 'closed') continue;
        connection.pretended = state;
        connection.dispatchEvent(new Event('connectionstatechange'));
      }
    },
    transports: async () => Object.values((await session.getStats()) ?? {}).map((report) => {
      const { dtlsState, srtpCipher, iceLocalUsernameFragment, bytesSent, bytesReceived, selectedCandidatePairId } =
        [...report.values()].find(({ type }) => type === 'transport');
      const { candidateType, relayProtocol = null } = report.get(report.get(selectedCandidatePairId)?.localCandidateId) ?? {};
      return { dtlsState, srtpCipher, iceLocalUsernameFragment, bytesSent, bytesReceived, candidateType, relayProtocol };
    }),
  };
})();`;

export interface TransportFigures {
  dtlsState: string;
  srtpCipher: string;
  /** Changes with each ICE restart. */
  iceLocalUsernameFragment: string;
  bytesSent: number;
  bytesReceived: number;
  /** Type of the local candidate: `host`, `relay`, …. */
  candidateType: string;
  /** Transport to the relay: `udp`, `tcp` or `tls`. */
  relayProtocol: string | null;
}

export interface PageProbe {
  /** Total time of audible agent audio so far. */
  loudMs(): Promise<number>;
  /** Names of the opened objects: RTCPeerConnection, WebSocket, AudioContext, microphone. */
  opened(): Promise<string[]>;
  stillOpen(): Promise<string[]>;
  /** Makes peer connections report this state; null: the real one. */
  pretend(state: 'failed' | null): Promise<void>;
  /** Transports of the call according to WebRTC statistics. */
  transports(): Promise<TransportFigures[]>;
}

/** Must be called before the page is loaded. */
export async function probePage(page: Page): Promise<PageProbe> {
  await page.addInitScript(SCRIPT);
  return {
    loudMs: () => page.evaluate<number>('probe.loudMs()'),
    opened: () => page.evaluate<string[]>('probe.opened()'),
    stillOpen: () => page.evaluate<string[]>('probe.stillOpen()'),
    pretend: async (state) => {
      await page.evaluate(`probe.pretend(${JSON.stringify(state)})`);
    },
    transports: () => page.evaluate<TransportFigures[]>('probe.transports()'),
  };
}

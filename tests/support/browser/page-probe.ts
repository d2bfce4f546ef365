import type { Page } from 'playwright-core';

/*
 * Watches a page from within: what it opens for a call, and what comes out of a track. The page must have the call's session as
 * `session`.
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

  let context = null, analyser = null, listenedTo = null, loudMs = 0;
  const samples = new Float32Array(1024);
  const EVERY_MS = 20;
  setInterval(() => {
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
    if (Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length) > 0.01) loudMs += EVERY_MS;
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
  /** Another one after each restart of ICE. */
  iceLocalUsernameFragment: string;
  bytesSent: number;
  bytesReceived: number;
  /** `host`, `relay`, …: how this side sends. */
  candidateType: string;
  /** How it sends to the relay: `udp`, `tcp`, `tls`. */
  relayProtocol: string | null;
}

export interface PageProbe {
  /** How long the agent has been audible so far. */
  loudMs(): Promise<number>;
  /** Names of what was opened: RTCPeerConnection, WebSocket, AudioContext, microphone. */
  opened(): Promise<string[]>;
  stillOpen(): Promise<string[]>;
  /** Peer connections say that they are in this state; null: in their own again. */
  pretend(state: 'failed' | null): Promise<void>;
  /** Of the call, by WebRTC's own statistics. */
  transports(): Promise<TransportFigures[]>;
}

/** Before the page is loaded. */
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

import type { ClientMessage } from '@calls/api-contract/data-messages/client-messages';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { SignalReady } from '@calls/api-contract/signalling/signal-messages';
import type { Device } from 'mediasoup-client';
import { CallError, toCallError } from '../call-error.ts';
import { ABNORMAL_CLOSURE, CLIENT_ABORTED, errorOfClosing, NOT_CONNECTED, type Closing } from './closing.ts';
import { firstSocket } from './first-socket.ts';
import { MediaLink } from '../media/media-link.ts';
import { capabilitiesFromWire } from '../media/ortc-types.ts';
import type { AttemptTimes } from './reconnect-policy.ts';
import { ServerWatch } from './server-watch.ts';
import { parseMessage, SignallingSocket } from './signalling-socket.ts';
import { insecureUrlError } from './unreachable.ts';

export interface ConnectionOptions {
  url: string;
  createDevice: () => Device;
  iceTransportPolicy?: RTCIceTransportPolicy | undefined;
  /** Resolves to null for no microphone. The join waits for it. */
  microphone: () => Promise<MediaStreamTrack | null>;
  onMessage: (message: ServerMessage) => void;
  times: AttemptTimes;
  /** Aborting hangs up. */
  signal: AbortSignal;
}

/** What media needs besides signalling. */
export type MediaOptions = Pick<ConnectionOptions, 'createDevice' | 'iceTransportPolicy' | 'onMessage'>;

/** A connection could not be opened, or has ended. */
export class ConnectionFailure extends Error {
  /** The socket's close code and reason. */
  readonly closing: Closing;
  override readonly cause: CallError;

  constructor(closing: Closing, cause = errorOfClosing(closing, true)) {
    super(cause.message);
    this.closing = closing;
    this.cause = cause;
  }

  /** Whether no socket could be opened. */
  get isUnreached(): boolean {
    return this.closing.code === ABNORMAL_CLOSURE && this.cause.code === 'connection_failed';
  }
}

/** One connection to the call: a socket and the media negotiated over it. Ends when the socket closes. */
export class Connection {
  readonly agentTrack: MediaStreamTrack;
  /** Resolves when the socket has closed and the media is released. */
  readonly closed: Promise<Closing>;
  readonly #socket: SignallingSocket;
  readonly #media: MediaLink;
  readonly #watch = new ServerWatch({
    ping: (timestamp) => void this.send({ type: 'ping', timestamp }),
    isMediaConnected: () => this.#media.isConnected,
    onLost: () => this.#socket.breakOff(),
  });

  private constructor(socket: SignallingSocket, media: MediaLink, agentTrack: MediaStreamTrack) {
    this.#socket = socket;
    this.#media = media;
    this.agentTrack = agentTrack;
    this.closed = socket.closed;
    void socket.closed.then(() => this.#watch.close());
  }

  /** Resolves when the call is joined. Rejects with a ConnectionFailure. */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const { url, times, signal } = options;
    let watch: ServerWatch | null = null;
    const onMessage = (message: ServerMessage): void => {
      if (!watch?.receive(message)) options.onMessage(message);
    };
    const socket = await firstSocket({
      open: () => new SignallingSocket(openSocket(url), onMessage),
      times,
      signal,
      onAbort: (opened) => void opened.hangUp(),
    });
    let media: MediaLink | null = null;
    try {
      media = await createMedia(socket, await socket.ready, { ...options, onMessage });
      void socket.closed.then(() => media?.close());
      let isMicrophoneOpen = false;
      const setMicrophone = async (): Promise<void> => {
        const track = await options.microphone();
        isMicrophoneOpen = true;
        await media?.setMicrophone(track);
      };
      const [agentTrack] = await Promise.race([
        Promise.all([media.open(), setMicrophone()]),
        // A browser may take long to open the microphone.
        end(socket, () => isMicrophoneOpen),
      ]);
      await media.canReceiveData();
      await Promise.all([socket.request('rtc_join', {}), media.settled()]);
      const connection = new Connection(socket, media, agentTrack);
      watch = connection.#watch;
      watch.look();
      return connection;
    } catch (thrown) {
      socket.breakOff();
      media?.close();
      throw await failureOf(thrown, socket);
    }
  }

  /**
   * Uses the data channel if it is open and the message is small enough, otherwise the socket. Returns whether it was
   * sent.
   */
  send(message: ClientMessage): boolean {
    return this.#media.sendData(JSON.stringify(message)) || this.#socket.send(message);
  }

  async setMicrophone(track: MediaStreamTrack | null): Promise<void> {
    await this.#media.setMicrophone(track);
    await this.#media.settled();
  }

  getStats(): Promise<{ send: RTCStatsReport; receive: RTCStatsReport }> {
    return this.#media.getStats();
  }

  async hangUp(): Promise<void> {
    await this.#socket.hangUp();
  }
}

/** Throws a CallError if the page may not open it. */
export function openSocket(url: string): WebSocket {
  try {
    return new WebSocket(url);
  } catch (thrown) {
    throw insecureUrlError(thrown);
  }
}

/** Creates the page's media for the transports that `ready` offers. Rejects with a CallError. */
export async function createMedia(
  socket: SignallingSocket,
  ready: SignalReady,
  { createDevice, onMessage, iceTransportPolicy }: MediaOptions,
): Promise<MediaLink> {
  if (iceTransportPolicy === 'relay' && !offersTurn(ready)) {
    throw new CallError(
      'media_not_connected',
      'iceTransportPolicy is relay, but the service has no TURN server',
    );
  }
  const device = createSupported(createDevice);
  await device.load({ routerRtpCapabilities: capabilitiesFromWire(ready.routerRtpCapabilities) });
  return new MediaLink({
    device,
    socket,
    ready,
    iceTransportPolicy,
    onMessage: (data) => {
      const message = parseMessage(data) as ServerMessage | null;
      if (message) onMessage(message);
    },
    onLost: () => socket.breakOff(),
  });
}

/** Whether the service has a TURN server. */
export function offersTurn({ iceServers }: SignalReady): boolean {
  return iceServers.some(({ urls }) => urls.some((url) => url.startsWith('turn')));
}

function createSupported(createDevice: () => Device): Device {
  try {
    return createDevice();
  } catch (thrown) {
    throw new CallError('unsupported_browser', 'this browser does not support WebRTC', thrown);
  }
}

/** Rejects when the socket closes. */
async function end(socket: SignallingSocket, isMicrophoneOpen: () => boolean): Promise<never> {
  const { code } = await socket.closed;
  if (code === NOT_CONNECTED && !isMicrophoneOpen())
    throw new CallError('microphone_failed', 'the browser did not open the microphone in time');
  throw new Error('the socket has closed');
}

async function failureOf(thrown: unknown, socket: SignallingSocket): Promise<ConnectionFailure> {
  const closing = await socket.closed;
  // Errors of running operations after a socket closed do not show the cause.
  const isConsequence = !(thrown instanceof CallError) && closing.code !== CLIENT_ABORTED;
  return isConsequence
    ? new ConnectionFailure(closing)
    : new ConnectionFailure(closing, toCallError(thrown, 'signalling_failed'));
}

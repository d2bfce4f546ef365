import { Device } from 'mediasoup-client';
import type { ToolImplementation } from './application-types.ts';
import { checkBrowser } from './check-browser.ts';
import type { ConnectionOptions } from './connection/join-url.ts';
import type { MicrophoneChoice } from './media/microphone.ts';
import { createSpeaker, type Speaker } from './media/speaker.ts';

export interface CallSessionOptions extends ConnectionOptions {
  tools?: Readonly<Record<string, ToolImplementation>>;
  /** `relay`: use only the service's TURN servers. Default `all`. */
  iceTransportPolicy?: RTCIceTransportPolicy;
  /** @internal */
  environment?: Partial<Environment>;
}

export interface JoinOptions {
  /** Default `true`: the user's default microphone. `false`: none; the user types. */
  microphone?: MicrophoneChoice;
  speaker?: string;
}

/** Browser-only dependencies, replaced by tests. @internal */
export interface Environment {
  checkBrowser: () => void;
  createDevice: () => Device;
  createSpeaker: (onBlocked: () => void) => Speaker;
}

/** @internal */
export const BROWSER: Environment = { checkBrowser, createDevice: () => new Device(), createSpeaker };

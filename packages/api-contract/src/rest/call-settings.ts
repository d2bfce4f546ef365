import { Type, type Static } from 'typebox';
import { DataMessageFlags } from '../data-messages/data-message-flags.ts';
import { Duration } from '../duration.ts';
import { Closed } from './common.ts';

export const VadSettings = Closed({
  turnEndpointDelay: Type.Optional(Duration),
  minimumTurnDuration: Type.Optional(Duration),
  minimumInterruptionDuration: Type.Optional(Duration),
  frameActivationThreshold: Type.Optional(Type.Number({ minimum: 0.1, maximum: 1 })),
});
export type VadSettings = Static<typeof VadSettings>;

const Words = Type.String({ maxLength: 65_536 });

export const AgentGreeting = Closed({
  uninterruptible: Type.Optional(Type.Boolean()),
  text: Type.Optional(Words),
  prompt: Type.Optional(Words),
  delay: Type.Optional(Duration),
});

export const FallbackAgentGreeting = Closed({
  delay: Type.Optional(Duration),
  text: Type.Optional(Words),
  prompt: Type.Optional(Words),
});

export const FirstSpeakerSettings = Type.Object(
  {
    user: Type.Optional(Closed({ fallback: Type.Optional(FallbackAgentGreeting) })),
    agent: Type.Optional(AgentGreeting),
  },
  { additionalProperties: false, minProperties: 1, maxProperties: 1 },
);
export type FirstSpeakerSettings = Static<typeof FirstSpeakerSettings>;

const SampleRateHz = Type.Integer({ minimum: 8000, maximum: 48_000 });

export const ServerWebSocketMedium = Closed({
  inputSampleRate: SampleRateHz,
  outputSampleRate: Type.Optional(SampleRateHz),
  clientBufferSizeMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000 })),
  dataMessages: Type.Optional(DataMessageFlags),
  mediaIdleTimeout: Type.Optional(Duration),
});
export type ServerWebSocketMedium = Static<typeof ServerWebSocketMedium>;

export const WebRtcMedium = Closed({ dataMessages: Type.Optional(DataMessageFlags) });

export const CallMedium = Type.Object(
  { webRtc: Type.Optional(WebRtcMedium), serverWebSocket: Type.Optional(ServerWebSocketMedium) },
  { additionalProperties: false, minProperties: 1, maxProperties: 1 },
);
export type CallMedium = Static<typeof CallMedium>;

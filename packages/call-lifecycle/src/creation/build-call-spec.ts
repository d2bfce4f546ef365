import type {
  AnsweringMachineSpec,
  BackgroundAudioSpec,
  CallSpec,
  CallToolSpec,
  DataConnectionSpec,
  DtmfSpec,
  FirstSpeakerSpec,
  InactivityMessageSpec,
  IvrNavigationSpec,
  MediumSpec,
  ServerWebSocketSpec,
  SipSpec,
  StageSpec,
  VadSpec,
  VoiceSelection,
} from '@calls/api-contract/call-spec';
import { durationToMs } from '@calls/api-contract/duration';
import {
  DEFAULT_BACKGROUND_VOLUME,
  DEFAULT_DATA_CONNECTION_RATE_HZ,
  DEFAULT_FALLBACK_DELAY,
  IVR_NAVIGATION_DEFAULTS,
  MIN_IVR_SILENCE_LIMIT_MS,
  VAD_DEFAULTS,
  type AnsweringMachineDetection,
  type DataConnectionConfig,
  type FirstSpeakerSettings,
  type IvrNavigation,
  type TimedMessage,
  type VadSettings,
} from '@calls/api-contract/rest/call-setting-values';
import {
  DEFAULT_CLIENT_BUFFER_MS,
  MIN_MEDIA_IDLE_TIMEOUT_MS,
  type DtmfHandling,
  type ServerWebSocketMedium,
  type MediaEncryption,
} from '@calls/api-contract/rest/medium';
import type { CallSettings, StageOverrides } from '@calls/api-contract/rest/call-settings';
import { withRole } from './initial-message-issues.ts';
import { allowedMediums } from './request-issues.ts';
import type { IncomingInvite } from './create-call-request.ts';
import type { OfferedMedium } from './offered-medium.ts';
import { fromAddress } from './sip-address.ts';
import { builtInToolName } from './tools/built-in-tools.ts';
import type { ResolvedTool } from './tools/resolved-tool.ts';

export interface CallSpecInput {
  callId: string;
  accountId: string;
  firstStageId: string;
  createdAtMs: number;
  settings: CallSettings;
  medium: OfferedMedium;
  /** The INVITE of an incoming call by SIP. */
  invite?: IncomingInvite | undefined;
  voice: VoiceSelection;
  tools: readonly ResolvedTool[];
  greetingPromptEnabled: boolean;
}

/** What a media-worker needs to run a call: all defaults applied, durations in milliseconds. */
export function buildCallSpec(input: CallSpecInput): CallSpec {
  const { settings } = input;
  return {
    callId: input.callId,
    accountId: input.accountId,
    createdAtMs: input.createdAtMs,
    firstStage: buildStageSpec({ ...input, stageId: input.firstStageId }),
    joinTimeoutMs: durationToMs(settings.joinTimeout),
    maxDurationMs: durationToMs(settings.maxDuration),
    firstSpeaker: firstSpeaker(settings.firstSpeakerSettings),
    greetingPromptEnabled: input.greetingPromptEnabled,
    medium: mediumSpec(input.medium, input.invite),
    initialOutputMedium: mediumName(settings.initialOutputMedium),
    allowedMediums: [...new Set((allowedMediums(settings) ?? ALL_MEDIUMS).map(mediumName))],
    recordingEnabled: settings.recordingEnabled,
    retention: settings.retentionPolicy,
    metadata: settings.metadata,
    sharedSecrets: settings.sharedSecrets ?? [],
    dataConnection: settings.dataConnection ? dataConnection(settings.dataConnection) : null,
    backgroundAudio: backgroundAudio(settings.backgroundAudio),
    ...(settings.answeringMachineDetection && {
      answeringMachine: answeringMachine(settings.answeringMachineDetection),
    }),
    ...(settings.ivrNavigation && { ivrNavigation: ivrNavigation(settings.ivrNavigation) }),
  };
}

function mediumName(medium: unknown): 'text' | 'voice' {
  return medium === 'MESSAGE_MEDIUM_TEXT' ? 'text' : 'voice';
}

const ALL_MEDIUMS = ['MESSAGE_MEDIUM_VOICE', 'MESSAGE_MEDIUM_TEXT'] as const;

export interface StageSpecInput {
  stageId: string;
  settings: StageSettings;
  voice: VoiceSelection;
  tools: readonly ResolvedTool[];
}

/** The settings of a call that its stages have, without those that are resolved to a voice. */
export type StageSettings = Pick<
  CallSettings,
  'initialMessages' | Exclude<keyof StageOverrides, 'voice' | 'externalVoice' | 'voiceOverrides'>
>;

export function buildStageSpec({ stageId, settings, voice, tools }: StageSpecInput): StageSpec {
  const keyTerms = usableKeyTerms(settings.keyTerms ?? []);
  return {
    stageId,
    systemPrompt: settings.systemPrompt ?? '',
    model: settings.model,
    temperature: settings.temperature,
    voice,
    languageHint: settings.languageHint ?? null,
    ...(keyTerms.length > 0 && { keyTerms }),
    initialMessages: (settings.initialMessages ?? []).map(withRole),
    timeExceededMessage: settings.timeExceededMessage ?? null,
    inactivityMessages: (settings.inactivityMessages ?? []).map(inactivityMessage),
    vad: vad(settings.vadSettings ?? {}),
    tools: tools.map(callTool),
    initialState: settings.initialState ?? {},
  };
}

/** Removes blank and repeated terms, which variables can cause. */
function usableKeyTerms(terms: readonly string[]): string[] {
  return [...new Set(terms.map((term) => term.trim().replaceAll(/\s+/g, ' ')))].filter((term) => term !== '');
}

function callTool({ toolId, name, definition, auth }: ResolvedTool): CallToolSpec {
  const { callTokenScopes: _issued, ...credentials } = auth;
  return { name, builtIn: builtInToolName(toolId), definition, auth: credentials };
}

function dataConnection(given: DataConnectionConfig): DataConnectionSpec {
  const { websocketUrl, audioConfig, dataMessages, headers } = given;
  return {
    url: websocketUrl,
    headers: headers ?? {},
    dataMessages: dataMessages ?? {},
    audio: audioConfig
      ? {
          sampleRateHz: audioConfig.sampleRate ?? DEFAULT_DATA_CONNECTION_RATE_HZ,
          channelMode: audioConfig.channelMode === 'CHANNEL_MODE_SEPARATED' ? 'separated' : 'mixed',
        }
      : null,
  };
}

function backgroundAudio(given: CallSettings['backgroundAudio']): BackgroundAudioSpec | null {
  if (!given?.audioClip) return null;
  return { audioClip: given.audioClip, volume: given.volume ?? DEFAULT_BACKGROUND_VOLUME };
}

function answeringMachine(given: AnsweringMachineDetection): AnsweringMachineSpec {
  return { onMachine: 'continue', message: '', onIvr: 'continue', onScreening: 'continue', ...given };
}

function ivrNavigation(given: IvrNavigation): IvrNavigationSpec {
  const { mode, promptPause, options = [], silenceLimit } = { ...IVR_NAVIGATION_DEFAULTS, ...given };
  return {
    mode,
    promptPauseMs: durationToMs(promptPause),
    options,
    silenceLimitMs: Math.max(MIN_IVR_SILENCE_LIMIT_MS, durationToMs(silenceLimit)),
  };
}

function firstSpeaker(given: FirstSpeakerSettings): FirstSpeakerSpec {
  if (given.user) {
    const { fallback } = given.user;
    if (!fallback) return { who: 'user', fallback: null };
    const delayMs = durationToMs(fallback.delay ?? DEFAULT_FALLBACK_DELAY);
    return {
      who: 'user',
      fallback: { text: fallback.text ?? null, prompt: fallback.prompt ?? null, delayMs },
    };
  }
  const agent = given.agent ?? {};
  return {
    who: 'agent',
    text: agent.text ?? null,
    prompt: agent.prompt ?? null,
    delayMs: durationToMs(agent.delay ?? '0s'),
    uninterruptible: agent.uninterruptible ?? false,
  };
}

const HANG_UP: Record<NonNullable<TimedMessage['endBehavior']>, InactivityMessageSpec['hangUp']> = {
  END_BEHAVIOR_UNSPECIFIED: 'never',
  END_BEHAVIOR_HANG_UP_SOFT: 'unless_answered',
  END_BEHAVIOR_HANG_UP_STRICT: 'always',
};

function inactivityMessage({ duration, message, endBehavior }: TimedMessage): InactivityMessageSpec {
  return {
    delayMs: durationToMs(duration),
    text: message,
    hangUp: HANG_UP[endBehavior ?? 'END_BEHAVIOR_UNSPECIFIED'],
  };
}

function vad(given: VadSettings): VadSpec {
  const settings = { ...VAD_DEFAULTS, ...given };
  const minimumTurnDurationMs = durationToMs(settings.minimumTurnDuration);
  return {
    turnEndpointDelayMs: durationToMs(settings.turnEndpointDelay),
    minimumTurnDurationMs,
    // Speech that is too short for a turn is too short for an interruption.
    minimumInterruptionDurationMs: Math.max(
      durationToMs(settings.minimumInterruptionDuration),
      minimumTurnDurationMs,
    ),
    frameActivationThreshold: settings.frameActivationThreshold,
  };
}

function mediumSpec(medium: OfferedMedium, invite: IncomingInvite | undefined): MediumSpec {
  switch (medium.kind) {
    case 'webRtc':
      return { kind: 'webRtc', dataMessages: medium.given.dataMessages ?? {} };
    case 'serverWebSocket':
      return serverWebSocket(medium.given);
    case 'sip':
      return sip(medium, invite);
    default: {
      const { outgoing, dtmfHandling } = medium.given;
      return { kind: medium.kind, dials: outgoing !== undefined, dtmf: dtmf(dtmfHandling ?? {}) };
    }
  }
}

const DIGITS_ALONE = '{digits}';
const URGENCY: Readonly<Record<string, DtmfSpec['urgency']>> = {
  URGENCY_IMMEDIATE: 'immediate',
  URGENCY_SOON: 'soon',
  URGENCY_LATER: 'later',
};

function dtmf({ ignore, userTextMessage }: DtmfHandling): DtmfSpec | null {
  if (ignore) return null;
  const { text = DIGITS_ALONE, urgency = 'URGENCY_UNSPECIFIED' } = userTextMessage ?? {};
  return { text, urgency: URGENCY[urgency] ?? 'soon' };
}

function sip(
  { given: { outgoing }, outboundProxy, codecs: ofTrunk }: OfferedMedium & { kind: 'sip' },
  invite: IncomingInvite | undefined,
): SipSpec {
  const codecs = ofTrunk ?? invite?.trunk?.codecs ?? [];
  const said = { kind: 'sip', dtmf: dtmf({}), ...(codecs.length > 0 && { codecs: [...codecs] }) } as const;
  if (!outgoing) {
    const { to, from } = invite ?? { to: '', from: '' };
    return { ...said, direction: 'incoming', to, from, username: null, password: null };
  }
  const { to, username = null, password = null } = outgoing;
  const from = fromAddress(outgoing.from ?? '', to);
  const mediaEncryption = MEDIA_ENCRYPTION[outgoing.mediaEncryption ?? 'MEDIA_ENCRYPTION_UNSPECIFIED'];
  const encryption = mediaEncryption && { mediaEncryption };
  return {
    ...said,
    direction: 'outgoing',
    to,
    from,
    username,
    password,
    ...(outgoing.headers && { headers: outgoing.headers }),
    ...encryption,
    ...(outboundProxy && { outboundProxy }),
  };
}

const MEDIA_ENCRYPTION: Readonly<Record<MediaEncryption, SipSpec['mediaEncryption']>> = {
  MEDIA_ENCRYPTION_UNSPECIFIED: undefined,
  MEDIA_ENCRYPTION_OFF: 'off',
  MEDIA_ENCRYPTION_OPTIONAL: 'optional',
  MEDIA_ENCRYPTION_REQUIRED: 'required',
  MEDIA_ENCRYPTION_DTLS: 'dtls',
};

function serverWebSocket(given: ServerWebSocketMedium): ServerWebSocketSpec {
  return {
    kind: 'serverWebSocket',
    inputSampleRateHz: given.inputSampleRate,
    outputSampleRateHz: given.outputSampleRate ?? given.inputSampleRate,
    clientBufferMs: given.clientBufferSizeMs ?? DEFAULT_CLIENT_BUFFER_MS,
    mediaIdleTimeoutMs:
      given.mediaIdleTimeout === undefined
        ? null
        : Math.max(MIN_MEDIA_IDLE_TIMEOUT_MS, durationToMs(given.mediaIdleTimeout)),
    dataMessages: given.dataMessages ?? {},
  };
}

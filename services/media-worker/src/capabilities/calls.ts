import type { MediumSpec } from '@calls/api-contract/call-spec';
import { createCallSeal, createEventSeal, createTransferLegSeal } from '@calls/bus/call-seal';
import type { Holder } from '@calls/bus/leases';
import { createEndOfTurnDetector } from '@calls/conversation/end-of-turn/detector';
import { Pacer } from '@calls/conversation/playout/pacer';
import type { ConversationServices } from '@calls/conversation/session/services';
import type { Logger } from '@calls/foundation/logger';
import { StoredTraces } from '@calls/object-storage/call-objects/stored-traces';
import { WavRecordings } from '@calls/object-storage/call-objects/wav-recordings';
import { callSignatureHeaders } from '@calls/outbound-http/request-signature';
import { LOCAL_FALLBACK_VOICE } from '@calls/providers/config/catalogue';
import { transcriptionLimitMs } from '@calls/providers/config/provider-config';
import { createCallTokens } from '@calls/secrets/join-tokens/call-tokens';
import { isAtLeast } from '../admission/processor-pressure.ts';
import { ClipLibrary } from '../background-audio/clip-library.ts';
import { CallHost } from '../calls/call-host.ts';
import { createCallMetrics } from '../calls/call-metrics.ts';
import { CallRegistry } from '../calls/call-registry.ts';
import type { HostedCall } from '../calls/hosted-call.ts';
import { PreparedCalls } from '../calls/prepared-calls.ts';
import { Successors } from '../calls/successors.ts';
import type { MediaWorkerConfig } from '../config.ts';
import { createControlPlaneQueries } from '../control-plane-queries/control-plane-queries.ts';
import { createDataConnections } from '../data-connections/customer-data-connection.ts';
import { createDialling, type OnDialled } from '../dialling/dialling.ts';
import { createSessionMetrics } from '../metrics/session-metrics.ts';
import type { BackgroundWork } from '../tools/background-work.ts';
import { createMcpSessions } from '../tools/mcp-sessions.ts';
import { createToolHttp } from '../tools/tool-http.ts';
import type { PhoneLegs } from '../transfers/phone-legs.ts';
import { createTransferLegs } from '../transfers/transfer-legs.ts';
import type { Engines } from './engines.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { SipOffer } from './sip.ts';
import type { SlotsOffer } from './slots.ts';
import type { WebRtcOffer } from './web-rtc.ts';

/** A shorter tick than 5 ms costs little and sends frames earlier after their deadline. */
const PACER_TICK_MS = 2;
/** The caller should get audio within 3 s of engine silence: this and the longest default timeout stay below it. */
const TRANSCRIPTION_MARGIN_MS = 250;

/** The calls of this worker. They are drained by `startAdmission`, which also fills them. */
export interface CallsOffer {
  calls: CallRegistry;
  host: CallHost;
  /** Whether this worker can run calls of the medium now. */
  offers: (medium: MediumSpec) => boolean;
}

type ConversationDeps = Infrastructure &
  Engines &
  SipOffer &
  SlotsOffer & { phoneLegs: PhoneLegs; background: BackgroundWork };

type CallsDeps = ConversationDeps & WebRtcOffer & { holder: Holder; onDialled: OnDialled };

export function createCalls(config: MediaWorkerConfig, deps: CallsDeps): CallsOffer {
  const { bus, metrics, tracing, slots, holder, sip, webRtcFault, onDialled, clock, log } = deps;
  const calls = new CallRegistry(clock);
  const offers = ({ kind }: MediumSpec): boolean =>
    kind === 'sip' ? sip !== null : kind !== 'webRtc' || webRtcFault() === null;
  const dialPhone = createDialling({ requests: bus.requests, onReply: onDialled, clock });
  const dial = (call: HostedCall, callLog: Logger): void => {
    const { medium } = call.spec;
    if (medium.kind !== 'sip') dialPhone(call, callLog);
    else if (medium.direction === 'outgoing') sip?.place(call, medium, callLog);
  };
  const services = conversationServices(config, deps);
  const { stages } = services.tools;
  const { handovers, workers, callLogs } = bus;
  const host = new CallHost({
    bus,
    holder,
    callSeal: createCallSeal(config.joinTokenSecrets),
    eventSeal: createEventSeal(config.joinTokenSecrets),
    calls,
    slots,
    prepared: new PreparedCalls({ callLogs, slots, stages, clock }),
    successors: new Successors({ workerId: holder.workerId, handovers, workers, clock, log }),
    offers,
    dial,
    hasSuccessor: ({ spec }) => spec.medium.kind !== 'sip' || sip?.hasSuccessor === true,
    onHandedOver({ callId, spec }, to) {
      if (spec.medium.kind === 'sip') sip?.released(callId, to);
    },
    tracing,
    metrics: createCallMetrics(metrics, slots, calls),
    clock,
    log,
    services,
  });
  return { calls, host, offers };
}

function conversationServices(config: MediaWorkerConfig, deps: ConversationDeps): ConversationServices {
  const {
    bus,
    storage,
    providers,
    outbound,
    checksOf,
    prepareChecks,
    voiceActivity,
    turnModel,
    metrics,
    sip,
    phoneLegs,
    background,
    load,
    clock,
    log,
  } = deps;
  const isDeferred = (): boolean => isAtLeast(load.pressure.level, 'storage');
  return {
    voiceActivity,
    speechToText: providers.speechToText,
    endOfTurn: createEndOfTurnDetector(turnModel),
    languageModel: providers.languageModel,
    textToSpeech: providers.textToSpeech,
    fallbackVoice: LOCAL_FALLBACK_VOICE,
    backgroundClips: new ClipLibrary({ outbound, clock }),
    recordings: new WavRecordings({ storage, clock, log, isDeferred }),
    traces: config.recordsTraces ? new StoredTraces({ storage, clock, log, isDeferred }) : null,
    tools: {
      ...createControlPlaneQueries(bus.requests, config.joinTokenSecrets),
      http: createToolHttp(outbound),
      mcp: createMcpSessions({ outbound, clock }),
      argumentChecksFor: checksOf,
      prepareArgumentChecks: prepareChecks,
      callTokens: createCallTokens(config.joinTokenSecrets),
      addBackgroundWork: (work) => background.add(work),
      signatureHeaders: (callId, secrets) => callSignatureHeaders(callId, secrets, clock.wallMs()),
    },
    dataConnections: createDataConnections({ outbound, clock }),
    transferLegs: createTransferLegs({
      requests: bus.requests,
      sealOf: createTransferLegSeal(config.joinTokenSecrets),
      sip,
      phones: phoneLegs,
      clock,
      log,
    }),
    pacer: new Pacer(clock, PACER_TICK_MS),
    clock,
    metrics: createSessionMetrics(metrics),
    reconnectGraceMs: config.reconnectGraceMs,
    // The adapter reports its own timeouts better; this one is for adapters that hang.
    limits: {
      transcriptionMs: transcriptionLimitMs(config.providers) + TRANSCRIPTION_MARGIN_MS,
      get speculation() {
        return config.speculation && !isAtLeast(load.pressure.level, 'speculation');
      },
    },
  };
}

import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import type { ObjectStorage } from '@calls/object-storage/object-storage';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import type { CloneVoice } from '@calls/providers/tts/voice-cloning';
import type { LimitsByPlan } from '@calls/redis/rate-limits/plan-limits';
import type { RateLimits } from '@calls/redis/rate-limits/rate-limits';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Metrics } from '@calls/telemetry/metrics';
import type { ReadinessCheck } from '@calls/telemetry/metrics-server';
import type { Tracing } from '@calls/telemetry/tracing/span';
import type { ChecksOf } from '@calls/untrusted-work/untrusted-checks';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { BulkWork } from '../untrusted-work/bulk-work.ts';
import type { StoredPreviews } from '../voices/stored-previews.ts';
import type { VoicePreviews } from '../voices/voice-previews.ts';
import type { AuthenticationDeps } from './authentication.ts';
import type { DeleteCallDeps } from '../calls/delete-call.ts';
import type { SuperviseCallDeps } from '../calls/supervise-call.ts';
import type { CallChangeStreams } from '../calls/call-change-streams.ts';
import type { CallRoutesDeps } from './calls.routes.ts';
import type { CorpusRoutesDeps } from './corpora.routes.ts';
import type { CorpusSourceRoutesDeps } from './corpus-sources.routes.ts';
import type { ConsoleDeps } from './console.routes.ts';
import type { Paging } from './paging.ts';
import type { EngineRoutesDeps } from './engines.routes.ts';
import type { DocsSiteDeps } from './docs-site.routes.ts';
import type { PhoneLegRoutesDeps } from './phone-leg.routes.ts';
import type { SipLogRoutesDeps } from './sip-logs.routes.ts';
import type { TelephonyCallDeps } from './telephony-call.routes.ts';
import type { UploadRoutesDeps } from './uploads.routes.ts';

export interface AppDeps
  extends
    AuthenticationDeps,
    CallRoutesDeps,
    DeleteCallDeps,
    SuperviseCallDeps,
    CorpusRoutesDeps,
    CorpusSourceRoutesDeps,
    PhoneLegRoutesDeps,
    SipLogRoutesDeps,
    TelephonyCallDeps,
    UploadRoutesDeps {
  bus: DeleteCallDeps['bus'] & TelephonyCallDeps['bus'] & EngineRoutesDeps['bus'];
  paging: Paging;
  callChangeStreams: CallChangeStreams;
  console: ConsoleDeps;
  docsSite: DocsSiteDeps;
  /** Handlers that every listener runs first and last. */
  logRequests: RequestHandler;
  respondErrors: ErrorRequestHandler;
  /** Number of proxies in front of the service, each of which appends to `X-Forwarded-For`. */
  trustedProxies: number;
  rateLimits: RateLimits;
  planLimits: LimitsByPlan;
  storage: ObjectStorage;
  secretBox: SecretBox;
  outbound: OutboundHttp;
  checksOf: ChecksOf;
  bulkWork: BulkWork;
  voicePreviews: VoicePreviews;
  storedPreviews: StoredPreviews;
  cloneVoice: CloneVoice;
  models: readonly string[];
  /** The name of a model for people. */
  modelDisplayName: (model: string) => string;
  sipDomain: string;
  /** Whether media-workers make SIP calls over TLS. */
  hasSipTls: boolean;
  checks: Record<string, ReadinessCheck>;
  metrics: Metrics;
  tracing: Tracing;
  clock: Clock;
  log: Logger;
}

import type { CallCreator } from '@calls/call-lifecycle/creation/call-creator';
import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import { modelDisplayName } from '@calls/providers/config/catalogue';
import { createCallTokens } from '@calls/secrets/join-tokens/call-tokens';
import { createSupervisorTokens } from '@calls/secrets/join-tokens/supervisor-tokens';
import { findKeyHolders, findTermsOfLiveCall, recordKeyUse } from '@calls/store/tables/api-keys';
import { createAdminApp, type AdminAppDeps } from '../admin/admin-app.ts';
import { createCallTokenAuthenticator } from '../auth/call-token-authenticator.ts';
import { KeyAttempts } from '../auth/key-attempts.ts';
import { KeyAuthenticator } from '../auth/key-authenticator.ts';
import { KeyLookUps } from '../auth/key-look-ups.ts';
import type { ControlPlaneConfig } from '../config.ts';
import { CallChangeStreams } from '../calls/call-change-streams.ts';
import { createConsoleSessions } from '../console/console-sessions.ts';
import { createUploadTokens } from '../corpora/upload-tokens.ts';
import { createApp } from '../http/app.ts';
import { errorHandler } from '../http/error-handler.ts';
import { requestLog } from '../http/request-log.ts';
import { startHttpServer, type HttpServer } from '../http/server.ts';
import { SessionCookie } from '../http/session-cookie.ts';
import { createCursorCodec } from '../pagination/cursor.ts';
import { createSipLogTokens } from '../sip/sip-log-tokens.ts';
import type { CallAccess } from './call-access.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { LostCalls } from '../lost-calls/lost-calls.ts';
import type { Monitoring } from './monitoring.ts';
import type { Outgoing } from './outgoing.ts';
import type { Retrieval } from './retrieval.ts';
import type { Voices } from './voices.ts';

export interface HttpApi {
  readonly port: number;
  /** Null if the admin API is not served. */
  readonly adminPort: number | null;
  /** Settles when the validators of request bodies are compiled. Earlier requests take longer. */
  readonly compiled: Promise<void>;
}

/** Serves the REST API, the console and the documentation. */
export function startHttpApi(
  config: ControlPlaneConfig,
  deps: Infrastructure &
    CallAccess &
    Outgoing &
    Retrieval &
    Voices &
    Pick<Monitoring, 'checks'> &
    Pick<LostCalls, 'endUnjoined'> & { creator: CallCreator },
): Promise<Capability<HttpApi>> {
  const { db, secretBox, clock, log } = deps;
  const { joinTokenSecrets, publicUrl, mediaPublicUrl } = config;
  const { models, planLimits, trustedProxies, sipDomain, hasSipTls } = config;
  const { admin, portIsShared: isShared } = config;
  const paging = { cursors: createCursorCodec(joinTokenSecrets), publicUrl };
  const lookUps = new KeyLookUps((prefixes) => findKeyHolders(db, prefixes));
  const authenticator = new KeyAuthenticator(lookUps, clock, ({ keyId }, at) => {
    recordKeyUse(db, keyId, at).catch((error: unknown) => {
      log.warn({ err: error }, 'failed to record use of API key');
    });
  });
  const logRequests = requestLog(deps);
  const respondErrors = errorHandler(log, deps.metrics);
  const callChangeStreams = new CallChangeStreams(deps);
  return startCapability(log, async (components) => {
    const { app, compile } = createApp({
      ...deps,
      callChangeStreams,
      ...{ models, planLimits, trustedProxies, sipDomain, hasSipTls },
      modelDisplayName: (model) => modelDisplayName(config.providers, model),
      ...{ paging, logRequests, respondErrors },
      keyAttempts: new KeyAttempts(clock),
      sessions: createConsoleSessions(secretBox, clock),
      sessionCookie: new SessionCookie(publicUrl),
      console: { directory: config.consoleDirectory, mediaPublicUrl },
      docsSite: { directory: config.docsSiteDirectory },
      authenticator,
      callTokenAuthenticator: createCallTokenAuthenticator(
        createCallTokens(joinTokenSecrets, () => clock.wallMs()),
        (call) => findTermsOfLiveCall(db, call),
      ),
      supervisorTokens: createSupervisorTokens(joinTokenSecrets),
      mediaPublicUrl,
      uploadTokens: createUploadTokens(joinTokenSecrets, clock),
      sipLogTokens: createSipLogTokens(joinTokenSecrets, clock),
    });
    const server = components.own(
      'http server',
      await startHttpServer(app, { port: config.port, variable: 'PORT', isShared }),
    );
    // Ends before the server does, because the server waits for running responses.
    components.own('call change streams', callChangeStreams.start());
    const adminServer =
      admin.tokens.length === 0
        ? null
        : components.own(
            'admin API',
            await startAdminApi(config, { ...deps, paging, authenticator, logRequests, respondErrors }),
          );
    const compiled = compile();
    components.add('validators', () => compiled);
    return { port: server.port, adminPort: adminServer?.port ?? null, compiled };
  });
}

/** Serves the admin API on its own listener. */
function startAdminApi(
  { admin, planLimits, publicUrl: consoleUrl, portIsShared: isShared }: ControlPlaneConfig,
  deps: Omit<AdminAppDeps, 'tokens' | 'attempts' | 'planLimits' | 'consoleUrl'>,
): Promise<HttpServer> {
  const { host, port, tokens } = admin;
  const paging = { ...deps.paging, publicUrl: `http://${host}:${port}` };
  const attempts = new KeyAttempts(deps.clock);
  const app = createAdminApp({ ...deps, paging, planLimits, consoleUrl, tokens, attempts });
  return startHttpServer(app, {
    host: { address: host, variable: 'ADMIN_HOST' },
    port,
    variable: 'ADMIN_PORT',
    isShared,
  });
}

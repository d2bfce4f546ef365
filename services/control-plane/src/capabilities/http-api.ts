import type { CallCreator } from '@calls/call-lifecycle/creation/call-creator';
import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import { createCallTokens } from '@calls/secrets/join-tokens/call-tokens';
import { createSupervisorTokens } from '@calls/secrets/join-tokens/supervisor-tokens';
import { findKeyHolders, findPlanOfLiveCall } from '@calls/store/tables/api-keys';
import { createCallTokenAuthenticator } from '../auth/call-token-authenticator.ts';
import { KeyAttempts } from '../auth/key-attempts.ts';
import { KeyAuthenticator } from '../auth/key-authenticator.ts';
import { KeyLookUps } from '../auth/key-look-ups.ts';
import type { ControlPlaneConfig } from '../config.ts';
import { createConsoleSessions } from '../console/console-sessions.ts';
import { createUploadTokens } from '../corpora/upload-tokens.ts';
import { createApp } from '../http/app.ts';
import { startHttpServer } from '../http/server.ts';
import { SessionCookie } from '../http/session-cookie.ts';
import { createCursorCodec } from '../pagination/cursor.ts';
import { createSipLogTokens } from '../sip/sip-log-tokens.ts';
import type { CallAccess } from './call-access.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { Monitoring } from './monitoring.ts';
import type { Outgoing } from './outgoing.ts';
import type { Voices } from './voices.ts';

export interface HttpApi {
  readonly port: number;
  /** Settles when the validators of request bodies are compiled; requests before that take longer. */
  readonly compiled: Promise<void>;
}

/** Serves the REST API, the console and the documentation. */
export function startHttpApi(
  config: ControlPlaneConfig,
  deps: Infrastructure &
    CallAccess &
    Outgoing &
    Voices &
    Pick<Monitoring, 'checks'> & { creator: CallCreator },
): Promise<Capability<HttpApi>> {
  const { db, secretBox, clock, log } = deps;
  const { joinTokenSecrets, publicUrl, mediaPublicUrl } = config;
  const { models, planLimits, trustedProxies, sipDomain, hasSipTls } = config;
  return startCapability(log, async (components) => {
    const { app, compile } = createApp({
      ...deps,
      ...{ models, planLimits, trustedProxies, sipDomain, hasSipTls },
      paging: { cursors: createCursorCodec(joinTokenSecrets), publicUrl },
      keyAttempts: new KeyAttempts(clock),
      sessions: createConsoleSessions(secretBox, clock),
      sessionCookie: new SessionCookie(publicUrl),
      console: { directory: config.consoleDirectory, mediaPublicUrl },
      docsSite: { directory: config.docsSiteDirectory },
      authenticator: new KeyAuthenticator(new KeyLookUps((prefixes) => findKeyHolders(db, prefixes)), clock),
      callTokenAuthenticator: createCallTokenAuthenticator(
        createCallTokens(joinTokenSecrets, () => clock.wallMs()),
        (call) => findPlanOfLiveCall(db, call),
      ),
      supervisorTokens: createSupervisorTokens(joinTokenSecrets),
      mediaPublicUrl,
      uploadTokens: createUploadTokens(joinTokenSecrets, clock),
      sipLogTokens: createSipLogTokens(joinTokenSecrets, clock),
    });
    const server = components.own(
      'http server',
      await startHttpServer(app, { port: config.port, isShared: config.portIsShared }),
    );
    const compiled = compile();
    components.add('validators', () => compiled);
    return { port: server.port, compiled };
  });
}

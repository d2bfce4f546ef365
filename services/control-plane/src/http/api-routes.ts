import { accountRoutes } from './accounts.routes.ts';
import { apiKeyRoutes } from './api-keys.routes.ts';
import { agentRoutes } from './agents.routes.ts';
import type { AppParts } from './app.ts';
import { ApiRouter } from './api-router.ts';
import { callCommandRoutes } from './call-commands.routes.ts';
import { callStageRoutes } from './call-stages.routes.ts';
import { callThrottleRoutes } from './call-throttles.routes.ts';
import { callRoutes } from './calls.routes.ts';
import { corpusRoutes } from './corpora.routes.ts';
import { corpusSourceRoutes } from './corpus-sources.routes.ts';
import { deletedCallRoutes } from './deleted-calls.routes.ts';
import { modelRoutes } from './models.routes.ts';
import { recordingRoutes } from './recordings.routes.ts';
import { sipRoutes } from './sip.routes.ts';
import { telephonyRoutes } from './telephony.routes.ts';
import { toolRoutes } from './tools.routes.ts';
import { ttsKeyRoutes } from './tts-keys.routes.ts';
import { voicePreviewRoutes } from './voice-previews.routes.ts';
import { usageRoutes } from './usage.routes.ts';
import { voiceRoutes } from './voices.routes.ts';
import { webhookRoutes } from './webhooks.routes.ts';

/** Every operation of the API with its handler, one file a resource. */
export function apiRoutes(parts: AppParts): ApiRouter {
  const api = new ApiRouter(parts.paging);
  callRoutes(api, parts);
  callCommandRoutes(api, parts);
  callStageRoutes(api, parts);
  deletedCallRoutes(api, parts);
  recordingRoutes(api, parts);
  voiceRoutes(api, parts);
  voicePreviewRoutes(api, parts);
  modelRoutes(api, parts);
  agentRoutes(api, parts);
  toolRoutes(api, parts);
  callThrottleRoutes(api, parts);
  corpusRoutes(api, parts);
  corpusSourceRoutes(api, parts);
  webhookRoutes(api, parts);
  apiKeyRoutes(api, parts);
  accountRoutes(api, parts);
  telephonyRoutes(api, parts);
  sipRoutes(api, parts);
  usageRoutes(api, parts);
  ttsKeyRoutes(api, parts);
  return api;
}

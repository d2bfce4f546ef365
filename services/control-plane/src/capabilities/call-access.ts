import {
  createCallSeal,
  createEventSeal,
  type CallSeal,
  type EventOfCall,
  type Seal,
} from '@calls/bus/call-seal';
import {
  createCallNotifications,
  type CallNotifications,
} from '@calls/call-lifecycle/notifications/call-notifications';
import {
  createCallSummaryView,
  createCallView,
  type CallSummaryView,
  type CallView,
} from '@calls/call-lifecycle/notifications/views';
import { createJoinTokens, type JoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import { createLegTokens, type LegTokens } from '@calls/secrets/join-tokens/leg-tokens';
import { createSecretBox, type SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { ControlPlaneConfig } from '../config.ts';
import { createLegUrls, createPhoneUrls, type LegUrlsOf, type PhoneUrlsOf } from '../telephony/phone-urls.ts';

/** Encrypts calls and controls access to them, with keys derived from the configured secrets. */
export interface CallAccess {
  secretBox: SecretBox;
  tokens: JoinTokens;
  callSeal: CallSeal;
  eventSeal: Seal<EventOfCall>;
  phoneUrls: PhoneUrlsOf;
  legTokens: LegTokens;
  legUrls: LegUrlsOf;
  callView: CallView;
  callSummaryView: CallSummaryView;
  notifications: CallNotifications;
}

export function createCallAccess(
  config: Pick<ControlPlaneConfig, 'encryptionKeys' | 'joinTokenSecrets' | 'publicUrl' | 'mediaPublicUrl'>,
): CallAccess {
  const { publicUrl, mediaPublicUrl, joinTokenSecrets } = config;
  const secretBox = createSecretBox(config.encryptionKeys);
  const tokens = createJoinTokens(joinTokenSecrets);
  const legTokens = createLegTokens(joinTokenSecrets);
  const callView = createCallView({ mediaPublicUrl, tokens, secretBox });
  return {
    secretBox,
    tokens,
    callSeal: createCallSeal(joinTokenSecrets),
    eventSeal: createEventSeal(joinTokenSecrets),
    phoneUrls: createPhoneUrls({ publicUrl, mediaPublicUrl, tokens }),
    legTokens,
    legUrls: createLegUrls({ publicUrl, mediaPublicUrl, legTokens, wallMs: Date.now }),
    callView,
    callSummaryView: createCallSummaryView({ secretBox }),
    notifications: createCallNotifications({ secretBox, callView }),
  };
}

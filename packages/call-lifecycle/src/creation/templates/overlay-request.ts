import type { StartCallRequest } from '@calls/api-contract/rest/call';

/** Merges `request` over `inherited`. Settings that belong together are inherited together or not at all. */
export function overlayRequest(inherited: StartCallRequest, request: StartCallRequest): StartCallRequest {
  const named = withoutUnspecified(request);
  const base = { ...inherited };
  if (named.voice !== undefined || named.externalVoice !== undefined) {
    delete base.voice;
    delete base.externalVoice;
    delete base.voiceOverrides;
  }
  if (named.firstSpeaker !== undefined) delete base.firstSpeakerSettings;
  if (named.mediumRestriction !== undefined) delete base.initialOutputMedium;
  return { ...base, ...named };
}

/** An unspecified enumeration value counts as unset, so that the inherited value applies. */
function withoutUnspecified(request: StartCallRequest): StartCallRequest {
  return Object.fromEntries(
    Object.entries(request).filter(
      ([, value]) => !(typeof value === 'string' && /^[A-Z_]+_UNSPECIFIED$/u.test(value)),
    ),
  );
}

export type { ControlPlaneConfig } from './config.ts';
export { createControlPlane, type ControlPlane, type ControlPlaneOverrides } from './control-plane.ts';
export { LostCalls } from './lost-calls/lost-calls.ts';
export { readTelephonyUrls, type TelephonyUrls } from './telephony/telephony-urls.ts';

import { defineTelephonyVendor } from './telephony-vendor.ts';

export const exotel = defineTelephonyVendor({ key: 'telephony4', name: 'Exotel', account: null });

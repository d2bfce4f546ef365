import { defineTelephonyVendor } from '../telephony-vendor.ts';
import { exotelDialect } from './dialect.ts';

export const exotel = defineTelephonyVendor({
  key: 'telephony4',
  name: 'Exotel',
  dialect: exotelDialect,
  account: null,
});

/**
 * Words before a full stop that may not end a sentence. If languages disagree about a word, the list with fewer
 * sentence ends wins: a missed end costs a moment, a wrong one is audible.
 */

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/u));
}

/** Always followed by a name or a word. Lower case. */
export const NEVER_LAST = words(`
  mr mrs ms dr prof st vs e.g i.e cf viz messrs
  z bzw hr fr frl ca vgl sog evtl ggf inkl exkl zzgl dipl ing med d u i o s v n p
  mm mme mmes mlle pr ste av
  sr sra srta dra dña ud uds vd vds ee ej exmo exma ilmo
  sig sigg dott avv arch geom egr gent sigra
  dhr mevr mw bijv bv drs jhr
  np tzn tj mgr inż ul św tzw
  डॉ प्रो श्री श्रीमती कु पं د أ م`);

/** Military and civil titles. Case-sensitive: in lower case they are ordinary words. */
export const TITLES = words('Gen Col Capt Lt Sgt Cpl Maj Rev Hon Gov Sen Rep Pres Supt Fr Br Mt Ft');

/** End a sentence unless the next word is in lower case or a number. Lower case. */
export const SOMETIMES_LAST = words(`
  etc a.m p.m ft oz lbs hrs inc ltd co corp jr approx dept est min max misc al ave blvd rd ph.d b.sc m.sc b.c a.d
  usw usf etw ungef geb gest mio mrd jh str tel a.d chr u.s.w
  ex env apr éd es ecc uu aprox avda bd
  enz jl zgn a.u.b
  itd itp r godz ok zł tys mln mld
  रु`);

/** Followed by a number within a sentence. Lower case. */
export const BEFORE_NUMBERS = words(`
  no nos nr núm num n.º nº pp pg fig figs art vol ch sec sect par abs kap bd pág págs pag cap blz str poz
  jan feb mar apr jun jul aug sep sept oct nov dec okt dez mär
  tel ext rm apt ste sub सं`);

/** Words before an ordinal, as in German "am 3. Mai". Lower case. */
export const BEFORE_ORDINALS = words(
  'am der dem den des vom zum beim im bis ab seit jeder jeden das die ein einen dzień dnia',
);

/** Common to all languages below, and to STT providers that transcribe sounds. */
export const COMMON_BACKCHANNELS =
  'mm, mhm, mm hm, mm hmm, m hm, hm, aha, uh huh, uhuh, ah, oh, okay, ok, oké, okej';

/** Backchannels by primary language subtag. None of them asks, refuses or stops the speaker. */
export const BACKCHANNELS: Readonly<Record<string, string>> = {
  en: "yeah, yes, yep, yup, ya, right, all right, alright, sure, i see, got it, of course, exactly, fine, good, great, cool, nice, true, understood, that is right, that's right, makes sense, oh okay, thank you, thanks",
  de: 'ja, jo, jep, genau, gut, alles klar, klar, richtig, stimmt, verstehe, ich verstehe, ach so, achso, in ordnung, sicher, schön, prima, super, danke',
  es: 'sí, si, ya, vale, claro, bien, muy bien, bueno, exacto, de acuerdo, entiendo, ya veo, perfecto, cierto, ajá, gracias',
  fr: "oui, ouais, d'accord, ah oui, bien, très bien, je vois, exactement, voilà, c'est ça, entendu, bien sûr, parfait, compris, je comprends, merci",
  it: "sì, si, va bene, bene, certo, esatto, capito, ho capito, giusto, perfetto, d'accordo, già, ecco, grazie",
  pt: 'sim, pois, pois é, certo, tá, tá bom, está bem, está bom, claro, entendi, percebo, exato, exatamente, isso, beleza, obrigado, obrigada',
  nl: 'ja, jawel, goed, prima, precies, juist, zeker, klopt, duidelijk, ik snap het, ik begrijp het, begrepen, natuurlijk, dank je, bedankt',
  pl: 'tak, no tak, dobrze, dobra, jasne, rozumiem, racja, zgadza się, pewnie, oczywiście, dzięki, dziękuję',
  sv: 'ja, jo, jaha, just det, precis, visst, bra, jag förstår, jag fattar, självklart, tack',
  da: 'ja, jo, javel, nemlig, præcis, rigtigt, godt, fint, det er rigtigt, jeg forstår, tak',
  nb: 'ja, jo, jepp, nettopp, riktig, akkurat, greit, bra, fint, jeg skjønner, jeg forstår, takk',
  fi: 'joo, juu, kyllä, niin, aivan, selvä, hyvä, ymmärrän, totta, kiitos',
  cs: 'ano, jo, jasně, dobře, rozumím, přesně, aha, chápu, samozřejmě, díky, děkuji',
  ru: 'да, ага, угу, хорошо, ладно, понятно, ясно, понял, поняла, конечно, точно, так, верно, мм, хм, окей, спасибо',
  uk: 'так, ага, угу, добре, гаразд, зрозуміло, ясно, звичайно, точно, окей, дякую',
  tr: 'evet, tamam, tabii, tabi, peki, anladım, anlıyorum, doğru, aynen, güzel, olur, teşekkürler',
  ar: 'نعم, أيوه, ايوه, تمام, طيب, حسنا, صحيح, أكيد, فهمت, شكرا',
  hi: 'हाँ, हां, जी, जी हाँ, जी हां, ठीक है, ठीक, अच्छा, सही, बिल्कुल, समझ गया, समझ गई, धन्यवाद',
  zh: '嗯, 嗯嗯, 哦, 好, 好的, 好吧, 对, 对对, 是, 是的, 行, 明白, 明白了, 知道了, 没错, 當然, 当然, 對, 謝謝, 谢谢',
  ja: 'はい, うん, ええ, ああ, そう, そうですね, そうですか, なるほど, わかりました, 分かりました, ふーん, へえ, オーケー',
  ko: '네, 예, 응, 음, 아, 그래, 그래요, 그렇군요, 맞아요, 알겠습니다, 알겠어요, 좋아요, 오케이',
};

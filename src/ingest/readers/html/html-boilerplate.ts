/** Patterns of names and words that identify boilerplate on a page. */

const words = (list: string): string => list.trim().split(/\s+/).join('|');

const BOILERPLATE_NAMES = words(`
  nav navbar navigation menu submenu sidebar side-bar sidenav breadcrumbs? crumbs cookies? cookie-banner consent gdpr cmp onetrust
  didomi share sharing sharebar share-buttons social socials social-links related related-posts related-articles recommended
  recommendations recirc recirculation more-from read-next up-next newsletter newsletter-signup subscribe subscription signup sign-up
  paywall advert\\w* ads? ad-slot adslot ad-container sponsored sponsor promo promos promotion popup pop-up modal overlay lightbox skip
  skip-link pagination pager toolbar editsection jump-link noprint catlinks categories printfooter footer site-footer masthead topbar
  top-bar site-header tags tag-list tag-cloud trending popular most-read most-popular outbrain taboola widget widgets author-bio
  about-author byline-bio print-only back-to-top toc-toggle post-nav post-navigation nav-links prev-next carousel teaser-rail rail
  banner announcement feedback rate-this rating-widget app-download login user-menu vote voting vote-buttons votecell user-card
  post-actions actions post-menu reactions like-button signature badges upsell cross-sell also-bought also-viewed
  recently-viewed cart-drawer minicart mini-cart add-to-cart buybox buy-box delivery-info languages lang-switcher language-switcher
`);

const COMMENTS = words(
  'comments comment-list comment-section commentlist comments-area disqus respond reply-form comment-form',
);

const named = (list: string): RegExp => new RegExp(`(?:^|[\\s_-])(?:${list})(?:$|[\\s_-])`, 'i');

/** Matches anywhere in a name; inconclusive for an element with prose: `elementor-widget-text`, `related-work`. */
export const BOILERPLATE_NAME = named(BOILERPLATE_NAMES);
/** Names that mean boilerplate even for an element with a few whole sentences. */
export const CERTAIN_BOILERPLATE_NAME = named(
  words(`cookies? cookie-banner gdpr onetrust didomi newsletter newsletter-signup signup sign-up popup pop-up promo-bar promobar
  sponsored advert\\w* author-bio author-box about-author byline-bio related-posts related-articles related-content related-node
  related-stories recommended recommendations recirc recirculation more-from read-next up-next most-read most-popular outbrain taboola
  trending carousel app-download upsell cross-sell also-bought also-viewed recently-viewed cart-drawer minicart mini-cart`),
);
/** The footer of a page and a column next to the text, whatever they contain. */
export const FOOT_NAME = /(?:^|[\s_-])footer(?:$|[\s_-])|(?:^|\s)side-?bar(?:$|\s)/i;
export const COMMENTS_NAME = named(COMMENTS);

/** Byline elements of an article: author, date, reading time. */
export const BYLINE_NAME = named(
  words(`byline by-line author author-name authors dateline post-date entry-date publish-date published pubdate timestamp time-ago
  post-meta entry-meta article-meta meta posted-on postmeta reading-time read-time readtime last-updated updated-on credits kicker eyebrow`),
);

/** Headings of link lists to other pages, in a dozen languages. */
export const RAIL_HEADING = new RegExp(
  `^(?:${[
    'related(?: (?:articles?|posts?|stories|content|products?|topics?|links|questions|news|reading))?|more (?:from|in|on|about|stories|articles|news|posts|like this)\\b.*|(?:you (?:may|might) also (?:like|enjoy)|recommended(?: for you| reading)?|read (?:next|more|also)|up next|don.t miss|trending(?: now)?|most (?:read|popular|viewed)|popular(?: (?:posts|articles|now))?|latest (?:news|posts|articles|stories)|what to read next|editor.?s picks?|customers (?:who bought|also).*|people also.*|similar (?:products|items|articles|questions)|recently viewed|frequently bought together|hot network questions|share(?: this.*)?|tags|categories|topics|follow us|stay (?:connected|updated).*|newsletter|sign up.*|subscribe.*|about the author|leave a (?:comment|reply)|post a comment|advertisement|sponsored(?: content)?|in this section|on this page|table of contents|contents|quick links|was this (?:page|article) helpful.*)',
    'verwandte (?:artikel|themen|beitr.ge|produkte)|(?:mehr|weitere) (?:zum thema|artikel|nachrichten|beitr.ge|von|aus|themen|meldungen).*|das k.nnte (?:sie|dich) (?:auch )?interessieren|lesen sie auch|auch interessant|meistgelesen|beliebt(?:e artikel)?|.hnliche (?:artikel|produkte|fragen|themen)|kunden kauften auch|teilen|schlagw.rter|themen|anzeige|newsletter.*|inhalt(?:sverzeichnis)?|neueste (?:beitr.ge|artikel)',
    'articles? (?:li.s|similaires|connexes|associ.s)|à lire (?:aussi|également|ensuite)|lire aussi|sur le m.me (?:sujet|th.me)|les plus lus|vous aimerez aussi|dans la m.me rubrique|partager|mots-cl.s|publicit.|produits similaires|sommaire|derni.res? (?:actualit.s|nouvelles|infos)',
    'art.culos? relacionad[oa]s?|noticias relacionadas|(?:tambi.n )?te (?:puede|podr.a) (?:interesar|gustar)|m.s (?:le.d[oa]s|noticias|sobre|en|de)\\b.*|lo m.s (?:le.do|visto)|compartir|etiquetas|publicidad|productos (?:relacionados|similares)|lee tambi.n|contenido relacionado',
    'artigos relacionados|leia (?:também|mais)|veja (?:também|mais)|mais lidas|not.cias relacionadas|compartilhe|tags|publicidade|recomendados',
    'articoli correlati|leggi anche|potrebbe interessarti|i pi. letti|condividi|pubblicit.|altri articoli',
    'gerelateerde (?:artikelen|berichten)|lees ook|meer over.*|meest gelezen|delen',
    'czytaj (?:także|też|również)|powiązane (?:artykuły|wpisy)|zobacz (?:także|też|również)|najczęściej czytane|udostępnij',
    'читайте также|похожие (?:статьи|материалы|новости|товары|вопросы)|по теме|связанные (?:статьи|материалы)|популярное|самое читаемое|ещё по теме|поделиться|реклама|теги|смотрите также|другие новости',
    '関連(?:記事|リンク|商品|情報|する記事)?|おすすめ(?:記事|商品)?|あわせて読みたい|人気(?:記事|ランキング)?|最新(?:記事|ニュース)|シェア(?:する)?|この記事をシェア|タグ|広告|目次|ランキング',
    '相关(?:文章|阅读|推荐|新闻|产品|链接)|推荐阅读|热门(?:文章|推荐)?|猜你喜欢|分享(?:到)?|标签|广告|延伸阅读|最新文章|更多.{0,6}|相關(?:文章|新聞|閱讀)|推薦閱讀|熱門文章',
    '관련 ?(?:기사|글|뉴스|상품)|추천 ?(?:기사|글)?|인기 ?(?:기사|글)|많이 본 (?:뉴스|기사)|공유(?:하기)?|태그|광고',
    'مقالات (?:ذات صلة|مشابهة)|اقرأ (?:أيضا|أيضًا|أيضاً)|مواضيع (?:ذات صلة|متعلقة)|الأكثر قراءة|شارك|إعلان|أخبار ذات صلة',
    'संबंधित (?:लेख|खबरें|समाचार)|यह भी पढ़ें|और पढ़ें|शेयर करें|विज्ञापन',
    'ilgili (?:haberler|yazılar|makaleler)|bunlar da ilginizi çekebilir|ayrıca okuyun|paylaş|en çok okunanlar',
  ].join('|')})\\s*[:：…»›>]*$`,
  'iu',
);

/** A block that consists only of one of these is dropped. */
export const EMPTY_WORDS =
  /^(?:advertisement|advertising|sponsored|ad|anzeige|werbung|publicité|publicidad|publicidade|pubblicità|реклама|広告|广告|광고|إعلان|share|tweet|print|save|copy link|email|comments?|reply|report|permalink|quote|edit|follow|like|load more|show more|read more|see more|continue reading|mehr lesen|weiterlesen|lire la suite|leer más|もっと見る|続きを読む|阅读更多|читать далее|skip to (?:main )?content|back to top|nach oben|loading\.*|\d{1,2} min(?:ute)?s? read|↑|×|…|›|»|«|‹|\|)$/iu;

/** Typical words of cookie and consent notices. */
export const CONSENT_WORDS =
  /\bcookies?\b.{0,400}\b(?:accept|agree|consent|prefer|manage|privacy|policy|settings|analytics|experience|zustimm|akzept|einwillig|datenschutz|accepte|confidentialité|acept|privacidad|accett|aceit)|(?:файлы? cookie|クッキー|cookie|饼干).{0,200}(?:принять|соглас|同意|許可|接受)/isu;
export const CONSENT_BUTTON =
  /^(?:accept(?: all)?(?: cookies)?|agree|i agree|ok(?:ay)?|got it|allow all|reject(?: all)?|manage (?:preferences|cookies|settings)|alle akzeptieren|akzeptieren|zustimmen|ablehnen|einverstanden|tout accepter|accepter|refuser|aceptar(?: todo)?|rechazar|accetta|aceitar|принять|согласен|同意する|同意|接受|принять все|全部接受|모두 동의|موافق|قبول)$/iu;

/** Copyright lines at the foot of pages. */
export const COPYRIGHT_WORDS =
  /©|\(c\) ?(?:19|20)\d\d|all rights reserved|alle rechte vorbehalten|tous droits réservés|todos los derechos reservados|todos os direitos reservados|tutti i diritti riservati|все права защищены|無断転載|版权所有|版權所有|무단 ?전재|جميع الحقوق محفوظة/iu;

/** A paragraph that only links to another page. */
export const READ_ELSEWHERE =
  /^(?:read (?:more|also|next)|see also|also read|more|related|watch|lesen sie (?:auch|hier)|mehr dazu|lire aussi|à lire|lee (?:también|más)|leia (?:também|mais)|leggi anche|читайте также|あわせて読みたい|関連記事|延伸阅读|相关阅读|اقرأ أيضا)\s*[:：|»→-]/iu;

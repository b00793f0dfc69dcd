/** What the pages that `make-pages.ts` writes are about, a small bank for each language. Written for this purpose. */
export interface Words {
  readonly code: string;
  readonly direction: 'ltr' | 'rtl';
  readonly titles: readonly string[];
  readonly headings: readonly string[];
  readonly sentences: readonly string[];
  readonly remarks: readonly string[];
  readonly facts: readonly (readonly [string, string])[];
  readonly others: readonly string[];
  readonly sections: readonly string[];
  readonly author: string;
  readonly date: string;
  readonly cookies: string;
  readonly accept: string;
  readonly related: string;
  readonly share: string;
  readonly newsletter: string;
  readonly readAlso: string;
  readonly comments: string;
  readonly advertisement: string;
  readonly rights: string;
}

const english: Words = {
  code: 'en',
  direction: 'ltr',
  titles: ['The river that moved a town', 'How a lighthouse learned to whisper', 'Why the old mill turns again'],
  headings: ['What the survey found', 'A plan in three steps', 'Who pays for it', 'What comes next'],
  sentences: [
    'When the water rose for the third spring in a row, the council of Harrow Ford stopped talking about dikes and began to talk about leaving.',
    'The first map of the valley, drawn in 1842 by a surveyor with poor eyesight and a steady hand, shows the channel almost a mile to the east.',
    'Nobody in the village remembers a summer in which the gravel banks lay dry for so long, and the oldest of them is ninety-one.',
    'Engineers measured 4,300 cubic metres a second at the bridge, twice what its arches were built to let through.',
    'It would have been cheaper, the report says on page seventeen, to move the houses one by one than to raise the wall again.',
    'Beavers had done in four years what the ministry had failed to do in forty: they had slowed the water down.',
    'The baker took her oven apart brick by brick and numbered every brick with chalk, because her grandfather had built it.',
    'By October the new street had lamps but no name, and the postman delivered letters to colours of doors.',
    'A flood, as every child here can tell you, is not an accident of the river but one of its habits.',
    'What persuaded the doubters in the end was not the model in the town hall but a line of mud on a kitchen wall.',
    'The insurance company, which had paid three times, offered to pay a fourth time only if there was nothing left to insure.',
    'In the abandoned schoolyard willows now grow through the hopscotch squares, and herons stand where the goalposts were.',
    'Of the 212 families 198 went together; the rest were scattered over five counties and meet once a year on the dam.',
    'The mayor keeps a jar of river sand on her desk, to remind visitors, she says, who was here first.',
    'Hydrologists from three universities still come in March to count the new islands and to argue about their names.',
    'It is a quiet place now, and it smells of mint and wet stone, and the bus stops there only when someone asks.',
  ],
  remarks: [
    'I tried this last winter and it held, although the lower hinge had to be replaced after a month.',
    'Same problem here with the older model; turning the valve a quarter further solved it for me.',
    'Please read the second paragraph again: the measurement was made before the repair, not after it.',
    'Thanks, that was exactly what I was looking for, and the drawing made all the difference.',
    'My grandfather worked at that bridge and always said the eastern pillar stood on sand.',
  ],
  facts: [
    ['Length', '214 cm'],
    ['Weight', '3.8 kg'],
    ['Material', 'oiled ash wood'],
    ['Guarantee', 'ten years'],
    ['Made in', 'Harrow Ford'],
  ],
  others: [
    'Ten ferries that never sailed',
    'A short history of doorbells',
    'The man who counts clouds',
    'Where the trams sleep',
    'Bread, salt and a spare key',
    'An atlas of small islands',
    'The last typewriter mechanic',
    'Snow in the harbour',
  ],
  sections: ['Home', 'News', 'Culture', 'Science', 'Travel', 'Opinion', 'Sport', 'Archive'],
  author: 'Maren Aldous',
  date: '14 March 2026',
  cookies:
    'We use cookies and similar technologies to measure visits and to improve your experience. You can accept all of them or manage your preferences; see our privacy policy.',
  accept: 'Accept all',
  related: 'Related articles',
  share: 'Share this article',
  newsletter: 'Subscribe to our newsletter and get the best stories every Friday.',
  readAlso: 'Read also',
  comments: 'Comments',
  advertisement: 'Advertisement',
  rights: 'All rights reserved. Terms of use, privacy and contact.',
};

const german: Words = {
  code: 'de',
  direction: 'ltr',
  titles: [
    'Der Fluss, der eine Stadt verschob',
    'Wie ein Leuchtturm flüstern lernte',
    'Warum sich die alte Mühle wieder dreht',
  ],
  headings: ['Was die Vermessung ergab', 'Ein Plan in drei Schritten', 'Wer das bezahlt', 'Wie es weitergeht'],
  sentences: [
    'Als das Wasser im dritten Frühling hintereinander stieg, hörte der Gemeinderat auf, über Deiche zu reden, und begann, über das Fortgehen zu reden.',
    'Die erste Karte des Tals, 1842 von einem kurzsichtigen Landvermesser mit ruhiger Hand gezeichnet, zeigt das Flussbett fast zwei Kilometer weiter östlich.',
    'Niemand im Dorf erinnert sich an einen Sommer, in dem die Kiesbänke so lange trocken lagen, und die Älteste ist einundneunzig.',
    'An der Brücke wurden 4300 Kubikmeter in der Sekunde gemessen, doppelt so viel, wie ihre Bögen durchlassen sollten.',
    'Es wäre billiger gewesen, heißt es auf Seite siebzehn des Gutachtens, die Häuser einzeln zu versetzen, als die Mauer noch einmal zu erhöhen.',
    'Die Biber hatten in vier Jahren geschafft, was dem Ministerium in vierzig nicht gelungen war: Sie hatten das Wasser langsamer gemacht.',
    'Die Bäckerin trug ihren Ofen Stein für Stein ab und nummerierte jeden Stein mit Kreide, weil ihr Großvater ihn gebaut hatte.',
    'Im Oktober hatte die neue Straße Laternen, aber keinen Namen, und der Briefträger stellte die Post nach der Farbe der Türen zu.',
    'Ein Hochwasser ist, das weiß hier jedes Kind, kein Unfall des Flusses, sondern eine seiner Gewohnheiten.',
    'Die Zweifler überzeugte am Ende nicht das Modell im Rathaus, sondern ein Streifen Schlamm an einer Küchenwand.',
    'Die Versicherung, die dreimal gezahlt hatte, wollte ein viertes Mal nur zahlen, wenn danach nichts mehr zu versichern wäre.',
    'Auf dem verlassenen Schulhof wachsen Weiden durch die Hüpfkästchen, und wo die Tore standen, stehen Reiher.',
  ],
  remarks: [
    'Ich habe das im letzten Winter ausprobiert, und es hat gehalten, nur das untere Scharnier musste nach einem Monat ersetzt werden.',
    'Dasselbe Problem beim älteren Modell; eine Vierteldrehung mehr am Ventil hat es bei mir gelöst.',
    'Bitte lesen Sie den zweiten Absatz noch einmal: Gemessen wurde vor der Reparatur und nicht danach.',
    'Danke, genau danach hatte ich gesucht, und mit der Zeichnung war es auf einmal klar.',
  ],
  facts: [
    ['Länge', '214 cm'],
    ['Gewicht', '3,8 kg'],
    ['Material', 'geölte Esche'],
    ['Garantie', 'zehn Jahre'],
    ['Hergestellt in', 'Haidfurt'],
  ],
  others: [
    'Zehn Fähren, die nie ablegten',
    'Kleine Geschichte der Türklingel',
    'Der Mann, der Wolken zählt',
    'Wo die Straßenbahnen schlafen',
    'Brot, Salz und ein Ersatzschlüssel',
    'Atlas der kleinen Inseln',
  ],
  sections: ['Start', 'Nachrichten', 'Kultur', 'Wissen', 'Reise', 'Meinung', 'Sport'],
  author: 'Jonte Rieck',
  date: '14. März 2026',
  cookies:
    'Wir verwenden Cookies und ähnliche Verfahren, um Besuche zu messen. Mit Ihrer Zustimmung dürfen wir sie auswerten; mehr dazu in der Datenschutzerklärung.',
  accept: 'Alle akzeptieren',
  related: 'Das könnte Sie auch interessieren',
  share: 'Teilen',
  newsletter: 'Abonnieren Sie unseren Newsletter und lesen Sie jeden Freitag das Beste der Woche.',
  readAlso: 'Lesen Sie auch',
  comments: 'Kommentare',
  advertisement: 'Anzeige',
  rights: 'Alle Rechte vorbehalten. Impressum, Datenschutz und Kontakt.',
};

const french: Words = {
  code: 'fr',
  direction: 'ltr',
  titles: [
    'Le fleuve qui déplaça une ville',
    'Le phare qui apprit à chuchoter',
    'Pourquoi le vieux moulin tourne à nouveau',
  ],
  headings: ['Ce que montre le relevé', 'Un plan en trois étapes', 'Qui va payer', 'Et maintenant'],
  sentences: [
    "Quand l'eau monta pour le troisième printemps de suite, le conseil cessa de parler de digues et se mit à parler de départ.",
    "La première carte de la vallée, dressée en 1842 par un arpenteur à la vue basse et à la main sûre, montre le lit près de deux kilomètres plus à l'est.",
    "Personne au village ne se souvient d'un été où les bancs de gravier soient restés si longtemps à sec, et la doyenne a quatre-vingt-onze ans.",
    'On mesura au pont 4 300 mètres cubes par seconde, le double de ce que ses arches devaient laisser passer.',
    'Il aurait coûté moins cher, dit le rapport à la page dix-sept, de déplacer les maisons une à une que de relever encore le mur.',
    "Les castors avaient fait en quatre ans ce que le ministère n'avait pas su faire en quarante : ralentir l'eau.",
    "La boulangère démonta son four brique après brique et numérota chacune à la craie, parce que son grand-père l'avait bâti.",
    "En octobre, la nouvelle rue avait des réverbères mais pas de nom, et le facteur distribuait les lettres d'après la couleur des portes.",
    "Une crue, tous les enfants d'ici vous le diront, n'est pas un accident du fleuve mais l'une de ses habitudes.",
    'Ce qui convainquit les sceptiques, ce ne fut pas la maquette de la mairie mais une ligne de boue sur un mur de cuisine.',
    "Dans la cour de l'école abandonnée, les saules poussent à travers la marelle et les hérons se tiennent à la place des buts.",
  ],
  remarks: [
    "J'ai essayé l'hiver dernier et cela a tenu, même si la charnière du bas a dû être changée au bout d'un mois.",
    "Même problème avec l'ancien modèle ; un quart de tour de plus sur la vanne l'a réglé chez moi.",
    "Merci, c'est exactement ce que je cherchais, et le dessin a tout éclairé.",
  ],
  facts: [
    ['Longueur', '214 cm'],
    ['Poids', '3,8 kg'],
    ['Matériau', 'frêne huilé'],
    ['Garantie', 'dix ans'],
  ],
  others: [
    'Dix bacs qui ne partirent jamais',
    'Petite histoire de la sonnette',
    "L'homme qui compte les nuages",
    'Où dorment les tramways',
    'Du pain, du sel et une clé',
    'Atlas des petites îles',
  ],
  sections: ['Accueil', 'Actualités', 'Culture', 'Sciences', 'Voyages', 'Opinions'],
  author: 'Odile Ferrand',
  date: '14 mars 2026',
  cookies:
    'Nous utilisons des cookies pour mesurer la fréquentation. Vous pouvez accepter ou refuser ; voyez notre politique de confidentialité.',
  accept: 'Tout accepter',
  related: 'Articles similaires',
  share: 'Partager',
  newsletter: 'Abonnez-vous à notre lettre et recevez chaque vendredi le meilleur de la semaine.',
  readAlso: 'Lire aussi',
  comments: 'Commentaires',
  advertisement: 'Publicité',
  rights: 'Tous droits réservés. Mentions légales et contact.',
};

const spanish: Words = {
  code: 'es',
  direction: 'ltr',
  titles: ['El río que movió un pueblo', 'El faro que aprendió a susurrar', 'Por qué el viejo molino vuelve a girar'],
  headings: ['Lo que muestra el estudio', 'Un plan en tres pasos', 'Quién lo paga', 'Qué viene ahora'],
  sentences: [
    'Cuando el agua subió por tercera primavera consecutiva, el consejo dejó de hablar de diques y empezó a hablar de marcharse.',
    'El primer mapa del valle, trazado en 1842 por un agrimensor de mala vista y pulso firme, muestra el cauce casi dos kilómetros más al este.',
    'Nadie en el pueblo recuerda un verano en que los bancos de grava quedaran secos tanto tiempo, y la más anciana tiene noventa y un años.',
    'En el puente se midieron 4.300 metros cúbicos por segundo, el doble de lo que sus arcos podían dejar pasar.',
    'Habría sido más barato, dice el informe en la página diecisiete, trasladar las casas una por una que levantar otra vez el muro.',
    'Los castores hicieron en cuatro años lo que el ministerio no logró en cuarenta: frenar el agua.',
    'La panadera desmontó su horno ladrillo a ladrillo y numeró cada uno con tiza, porque lo había construido su abuelo.',
    'En octubre la calle nueva tenía farolas pero no nombre, y el cartero repartía las cartas por el color de las puertas.',
    'Una crecida, como sabe aquí cualquier niño, no es un accidente del río sino una de sus costumbres.',
    'En el patio de la escuela abandonada crecen sauces entre las rayuelas y las garzas ocupan el sitio de las porterías.',
  ],
  remarks: [
    'Lo probé el invierno pasado y aguantó, aunque hubo que cambiar la bisagra de abajo al cabo de un mes.',
    'El mismo problema con el modelo antiguo; un cuarto de vuelta más a la válvula lo resolvió.',
    'Gracias, era justo lo que buscaba, y con el dibujo quedó clarísimo.',
  ],
  facts: [
    ['Longitud', '214 cm'],
    ['Peso', '3,8 kg'],
    ['Material', 'fresno aceitado'],
    ['Garantía', 'diez años'],
  ],
  others: [
    'Diez barcas que nunca zarparon',
    'Breve historia del timbre',
    'El hombre que cuenta nubes',
    'Donde duermen los tranvías',
    'Pan, sal y una llave',
    'Atlas de islas pequeñas',
  ],
  sections: ['Inicio', 'Noticias', 'Cultura', 'Ciencia', 'Viajes', 'Opinión'],
  author: 'Inés Robledo',
  date: '14 de marzo de 2026',
  cookies:
    'Usamos cookies para medir las visitas. Puede aceptar todas o gestionar sus preferencias; consulte la política de privacidad.',
  accept: 'Aceptar todo',
  related: 'Artículos relacionados',
  share: 'Compartir',
  newsletter: 'Suscríbase a nuestro boletín y reciba cada viernes lo mejor de la semana.',
  readAlso: 'Lee también',
  comments: 'Comentarios',
  advertisement: 'Publicidad',
  rights: 'Todos los derechos reservados. Aviso legal y contacto.',
};

const russian: Words = {
  code: 'ru',
  direction: 'ltr',
  titles: ['Река, которая сдвинула город', 'Как маяк научился шептать', 'Почему старая мельница снова вертится'],
  headings: ['Что показали измерения', 'План в три шага', 'Кто за это платит', 'Что дальше'],
  sentences: [
    'Когда вода поднялась третью весну подряд, совет перестал говорить о дамбах и заговорил об отъезде.',
    'На первой карте долины, которую в 1842 году начертил близорукий землемер с твёрдой рукой, русло лежит почти на два километра восточнее.',
    'Никто в деревне не помнит лета, когда галечные отмели так долго оставались сухими, а самой старшей жительнице девяносто один год.',
    'У моста намерили 4300 кубометров в секунду, вдвое больше, чем должны были пропускать его арки.',
    'Дешевле было бы, говорится на семнадцатой странице отчёта, перенести дома по одному, чем ещё раз надстраивать стену.',
    'Бобры за четыре года сделали то, что министерству не удалось за сорок: они замедлили воду.',
    'Пекарь разобрала свою печь по кирпичику и пронумеровала каждый мелом, потому что её сложил дед.',
    'К октябрю на новой улице были фонари, но не было названия, и почтальон разносил письма по цвету дверей.',
    'Наводнение, как знает здесь каждый ребёнок, не несчастье реки, а одна из её привычек.',
    'На заброшенном школьном дворе сквозь классики растут ивы, а там, где были ворота, стоят цапли.',
  ],
  remarks: [
    'Пробовал прошлой зимой, всё держится, только нижнюю петлю через месяц пришлось заменить.',
    'Та же беда со старой моделью; помогло повернуть вентиль ещё на четверть оборота.',
    'Спасибо, именно это я и искал, а с рисунком всё стало понятно.',
  ],
  facts: [
    ['Длина', '214 см'],
    ['Вес', '3,8 кг'],
    ['Материал', 'ясень с маслом'],
    ['Гарантия', 'десять лет'],
  ],
  others: [
    'Десять паромов, которые не отплыли',
    'Краткая история звонка',
    'Человек, который считает облака',
    'Где спят трамваи',
    'Хлеб, соль и запасной ключ',
    'Атлас малых островов',
  ],
  sections: ['Главная', 'Новости', 'Культура', 'Наука', 'Путешествия', 'Мнения'],
  author: 'Вера Лаптева',
  date: '14 марта 2026',
  cookies:
    'Мы используем файлы cookie, чтобы считать посещения. Вы можете принять их все; подробнее в политике конфиденциальности.',
  accept: 'Принять',
  related: 'Читайте также',
  share: 'Поделиться',
  newsletter: 'Подпишитесь на рассылку и получайте лучшее за неделю каждую пятницу.',
  readAlso: 'Читайте также',
  comments: 'Комментарии',
  advertisement: 'Реклама',
  rights: 'Все права защищены. Условия и контакты.',
};

const japanese: Words = {
  code: 'ja',
  direction: 'ltr',
  titles: ['町を動かした川', 'ささやくことを覚えた灯台', '古い水車がまた回る理由'],
  headings: ['調査でわかったこと', '三段階の計画', '費用は誰が払うのか', 'これからのこと'],
  sentences: [
    '三年続けて春に水位が上がったとき、村議会は堤防の話をやめ、引っ越しの話を始めた。',
    '一八四二年に目の悪い測量士が確かな手つきで描いた最初の地図では、川筋は今より二キロほど東にある。',
    '砂利の河原がこれほど長く乾いていた夏を覚えている人は村に一人もおらず、最年長は九十一歳である。',
    '橋のところで毎秒四千三百立方メートルが測られたが、これは橋脚が通せる量の二倍にあたる。',
    '報告書の十七ページによれば、壁をもう一度高くするより、家を一軒ずつ移すほうが安かったという。',
    'ビーバーは、役所が四十年かけてもできなかったことを四年でやってのけ、水の流れを遅くした。',
    'パン屋の主人は祖父が築いた窯を一つずつ崩し、すべての煉瓦に白墨で番号を書いた。',
    '十月になると新しい通りには街灯がついたが名前はまだなく、郵便は戸の色を頼りに届けられた。',
    '洪水は川の事故ではなく習慣の一つだと、ここでは子どもでも知っている。',
    '使われなくなった校庭では石けり遊びの線の間から柳が伸び、ゴールのあった場所に鷺が立っている。',
  ],
  remarks: [
    '去年の冬に試しましたが、一か月後に下の蝶番を替えただけで今も持っています。',
    '古い型でも同じ問題がありましたが、弁をもう四分の一回すと直りました。',
    'ありがとうございます、図のおかげでよくわかりました。',
  ],
  facts: [
    ['長さ', '二一四センチ'],
    ['重さ', '三・八キロ'],
    ['素材', '油仕上げのトネリコ'],
    ['保証', '十年'],
  ],
  others: [
    '出航しなかった十隻の渡し船',
    '呼び鈴の小さな歴史',
    '雲を数える男',
    '路面電車の眠る場所',
    'パンと塩と合鍵',
    '小さな島の地図帳',
  ],
  sections: ['ホーム', 'ニュース', '文化', '科学', '旅', '意見'],
  author: '水野はるか',
  date: '2026年3月14日',
  cookies:
    '当サイトではアクセス状況を調べるためにクッキーを使用しています。詳しくはプライバシー方針をご覧のうえ、同意してください。',
  accept: '同意する',
  related: '関連記事',
  share: 'シェアする',
  newsletter: '毎週金曜日に届くメールマガジンにご登録ください。',
  readAlso: 'あわせて読みたい',
  comments: 'コメント',
  advertisement: '広告',
  rights: '無断転載を禁じます。利用規約とお問い合わせ。',
};

const chinese: Words = {
  code: 'zh',
  direction: 'ltr',
  titles: ['搬动了一座城的河', '学会低语的灯塔', '老磨坊为何又转了起来'],
  headings: ['勘测的结果', '分三步走的计划', '费用由谁承担', '接下来的事'],
  sentences: [
    '当河水连续第三个春天上涨时，村议会不再谈论堤坝，而开始谈论离开。',
    '山谷的第一张地图由一位视力不佳却手很稳的测量员于一八四二年绘成，图上的河道比今天偏东将近两公里。',
    '村里没有人记得哪个夏天的砾石滩干了这么久，而最年长的人已经九十一岁。',
    '桥边测得每秒四千三百立方米的水量，是桥拱设计流量的两倍。',
    '报告第十七页写道，把房子一座一座搬走，比再次加高围墙还要便宜。',
    '河狸用四年时间做到了有关部门四十年没有做到的事，那就是让水慢下来。',
    '面包师把祖父砌的炉子一块砖一块砖地拆开，并用粉笔给每块砖编上号码。',
    '到了十月，新街道有了路灯却还没有名字，邮差只好按门的颜色送信。',
    '这里的孩子都知道，洪水不是河流的意外，而是它的习惯之一。',
    '废弃的操场上，柳树从跳房子的格子里长出来，原来立着球门的地方站着白鹭。',
  ],
  remarks: [
    '去年冬天我试过，很牢固，只是一个月后换了下面的铰链。',
    '旧型号也有同样的问题，把阀门再拧四分之一圈就好了。',
    '谢谢，这正是我要找的，有了图就清楚多了。',
  ],
  facts: [
    ['长度', '二百一十四厘米'],
    ['重量', '三点八公斤'],
    ['材料', '上油白蜡木'],
    ['保修', '十年'],
  ],
  others: ['十艘从未启航的渡船', '门铃小史', '数云的人', '电车睡觉的地方', '面包、盐和备用钥匙', '小岛图册'],
  sections: ['首页', '新闻', '文化', '科学', '旅行', '观点'],
  author: '周砚秋',
  date: '2026年3月14日',
  cookies: '本网站使用 cookie 统计访问情况，您可以同意全部或管理设置，详情见隐私政策。',
  accept: '同意',
  related: '相关文章',
  share: '分享',
  newsletter: '订阅我们的周报，每周五收到精选文章。',
  readAlso: '延伸阅读',
  comments: '评论',
  advertisement: '广告',
  rights: '版权所有。使用条款与联系方式。',
};

const arabic: Words = {
  code: 'ar',
  direction: 'rtl',
  titles: ['النهر الذي نقل بلدة', 'المنارة التي تعلمت الهمس', 'لماذا تدور الطاحونة القديمة من جديد'],
  headings: ['ما الذي كشفه المسح', 'خطة من ثلاث خطوات', 'من يدفع الثمن', 'ماذا بعد'],
  sentences: [
    'عندما ارتفع الماء للربيع الثالث على التوالي، كف مجلس البلدة عن الحديث عن السدود وبدأ الحديث عن الرحيل.',
    'تظهر أول خريطة للوادي، التي رسمها عام 1842 مساح ضعيف البصر ثابت اليد، المجرى على بعد كيلومترين تقريبا إلى الشرق.',
    'لا يتذكر أحد في القرية صيفا ظلت فيه ضفاف الحصى جافة كل هذا الوقت، وأكبرهم سنا في الحادية والتسعين.',
    'قاس المهندسون عند الجسر 4300 متر مكعب في الثانية، أي ضعف ما صممت أقواسه لتمريره.',
    'كان نقل البيوت واحدا واحدا، كما يقول التقرير في صفحته السابعة عشرة، أرخص من رفع الجدار مرة أخرى.',
    'أنجزت القنادس في أربع سنوات ما عجزت عنه الوزارة في أربعين سنة: لقد أبطأت الماء.',
    'فككت الخبازة فرنها حجرا حجرا ورقمت كل حجر بالطباشير لأن جدها هو الذي بناه.',
    'وفي أكتوبر صارت للشارع الجديد مصابيح من غير اسم، وكان ساعي البريد يوزع الرسائل حسب ألوان الأبواب.',
  ],
  remarks: [
    'جربت ذلك في الشتاء الماضي وصمد، غير أن المفصل السفلي احتاج إلى تبديل بعد شهر.',
    'شكرا، هذا ما كنت أبحث عنه تماما، والرسم جعل كل شيء واضحا.',
  ],
  facts: [
    ['الطول', '214 سم'],
    ['الوزن', '3.8 كغ'],
    ['المادة', 'خشب الدردار'],
    ['الضمان', 'عشر سنوات'],
  ],
  others: [
    'عشر عبارات لم تبحر قط',
    'تاريخ قصير لجرس الباب',
    'الرجل الذي يعد الغيوم',
    'حيث تنام عربات الترام',
    'خبز وملح ومفتاح احتياطي',
  ],
  sections: ['الرئيسية', 'أخبار', 'ثقافة', 'علوم', 'سفر', 'رأي'],
  author: 'ليلى الحداد',
  date: '14 مارس 2026',
  cookies: 'نستخدم ملفات cookie لقياس الزيارات. يمكنك قبول الكل أو إدارة التفضيلات، انظر سياسة الخصوصية privacy.',
  accept: 'موافق',
  related: 'مقالات ذات صلة',
  share: 'شارك',
  newsletter: 'اشترك في نشرتنا البريدية لتصلك أفضل القصص كل جمعة.',
  readAlso: 'اقرأ أيضا',
  comments: 'تعليقات',
  advertisement: 'إعلان',
  rights: 'جميع الحقوق محفوظة.',
};

export const languages: readonly Words[] = [english, german, french, spanish, russian, japanese, chinese, arabic];

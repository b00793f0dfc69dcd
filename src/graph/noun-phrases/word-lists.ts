/** Words that indicate the category of a name or a noun, in the languages that have rules of their own. */

const listOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter(Boolean));

/** Titles before a person's name, without the full stop. */
export const honorifics = listOf(
  `mr mrs ms miss mx dr prof professor sir dame lord lady rev reverend saint st captain capt colonel col general gen major
  lieutenant lt sergeant sgt admiral commander king queen prince princess emperor empress pope president chancellor
  minister senator sen governor gov mayor judge justice chief director sister brother father uncle aunt inspector
  ambassador secretary duke duchess count countess baron baroness sheikh sultan chairman chairwoman founder
  herr frau fräulein doktor bundeskanzler bundeskanzlerin kanzler kanzlerin bundespräsident präsident präsidentin ministerin
  könig königin kaiser kaiserin prinz prinzessin papst bürgermeister bürgermeisterin professorin direktor direktorin
  monsieur m mme madame mlle maître docteur président présidente ministre roi reine maire empereur pape
  don doña señor señora sr sra srta doctor doctora presidente presidenta ministro ministra rey reina alcalde alcaldesa
  signor signora dottor re regina papa sindaco senhor senhora dom dona rei rainha prefeito
  meneer mevrouw dhr mevr koning koningin`,
);

/** Nouns for persons: after `is a`, in an apposition, before a name. */
export const personNouns = listOf(
  `person man woman boy girl engineer physicist chemist biologist mathematician scientist researcher astronomer geologist
  botanist author writer novelist poet playwright journalist editor painter sculptor artist composer musician singer
  pianist violinist conductor actor actress director producer architect designer programmer developer inventor
  entrepreneur businessman businesswoman executive founder co-founder ceo chairman chairwoman chair president chancellor
  minister politician senator governor mayor ambassador diplomat lawyer judge attorney teacher professor lecturer student
  doctor physician surgeon nurse psychologist economist historian philosopher theologian sociologist linguist
  anthropologist priest bishop monk nun saint king queen emperor empress prince princess general admiral captain colonel
  soldier officer sailor explorer pilot astronaut navigator athlete footballer coach player swimmer runner cyclist chef
  farmer fisherman carpenter manager secretary treasurer keeper librarian curator activist daughter son sister brother
  mother father wife husband widow nephew niece cousin uncle aunt friend colleague heir owner skipper mate naturalist
  physikerin physiker chemiker chemikerin schriftsteller schriftstellerin autor autorin dichter maler malerin komponist
  komponistin ingenieur ingenieurin politiker politikerin architekt architektin erfinder erfinderin gründer gründerin
  philosoph mathematiker mathematikerin arzt ärztin professor professorin forscher forscherin unternehmer unternehmerin
  écrivain écrivaine romancier romancière peintre compositeur compositrice physicien physicienne chimiste philosophe
  architecte ingénieur ingénieure mathématicien mathématicienne homme femme fondateur fondatrice auteur autrice
  escritor escritora novelista pintor pintora compositor compositora físico física químico química arquitecto arquitecta
  ingeniero ingeniera fundador fundadora filósofo filósofa poeta médico médica político política autor autora`,
);

/** Words in names of organisations, and nouns for organisations. */
export const organizationNouns = listOf(
  `company corporation firm manufacturer producer retailer startup start-up business subsidiary publisher brewery airline
  airlines railway railways bank bakery foundry shipyard university college conservatory school academy institute institution
  laboratory laboratories lab labs observatory hospital clinic museum library foundation trust charity society association
  federation union league club party committee commission council ministry department agency authority bureau office
  parliament senate congress court police army navy force forces guard church order orchestra choir band ensemble theatre
  group holding holdings cooperative co-operative consortium alliance organization organisation network news newspaper
  magazine press studio studios records entertainment pictures motors industries systems technologies software solutions
  services partners ventures capital insurance pharmaceuticals airways lines team board chamber government regulator
  operator supplier vendor carrier publishing brothers bros works
  unternehmen firma konzern hersteller bank universität hochschule institut schule akademie museum bibliothek stiftung
  verein verband gesellschaft partei ministerium behörde amt gewerkschaft verlag werke orchester krankenhaus
  entreprise société banque université école institut musée bibliothèque fondation association fédération parti ministère
  agence hôpital syndicat compagnie groupe laboratoire éditeur
  empresa compañía banco universidad escuela instituto museo biblioteca fundación asociación federación partido ministerio
  agencia hospital sindicato grupo laboratorio sociedad editorial
  azienda società banca università scuola istituto fondazione ministero impresa universidade fundação associação
  bedrijf universiteit stichting vereniging ministerie`,
);

export const placeNouns = listOf(
  `city town village capital country state province county district region municipality suburb neighbourhood neighborhood
  borough island islands isle peninsula continent ocean sea lake river stream bay gulf strait channel harbour harbor port
  mountain mountains mount hill hills valley desert forest wood woods plain plateau volcano glacier fjord coast beach cape
  street road avenue square park garden gardens bridge castle palace cathedral abbey tower airport station lighthouse
  kingdom republic territory archipelago reef canyon waterfall falls basin delta canal dam quarry mine cave waterway
  settlement parish canton prefecture
  stadt dorf hauptstadt land bundesland insel inseln fluss see meer gebirge berg tal wald hafen küste schloss burg brücke
  straße platz bahnhof flughafen halbinsel gemeinde
  ville village capitale pays région île îles fleuve rivière lac mer montagne vallée forêt port rue place gare château
  ciudad pueblo capital país región isla islas río lago mar montaña valle bosque puerto calle plaza castillo provincia
  città paese regione isola fiume cidade aldeia ilha rio stad dorp eiland rivier`,
);

export const workNouns = listOf(
  `novel book poem play opera symphony sonata film movie album song painting sculpture series documentary essay article
  paper report treatise treaty act law bill directive regulation charter constitution declaration manifesto memoir
  biography trilogy story tale musical ballet journal atlas dictionary encyclopedia handbook manual standard
  specification agreement protocol convention dissertation thesis
  roman buch gedicht oper sinfonie gemälde gesetz verordnung vertrag livre poème opéra tableau loi traité
  novela libro poema ópera película cuadro ley tratado`,
);

export const eventNouns = listOf(
  `war battle revolution conference summit congress festival championship championships olympics games cup election
  exhibition expedition earthquake eruption flood storm hurricane pandemic epidemic crisis massacre siege uprising
  rebellion strike march marathon tournament ceremony workshop symposium campaign mission crusade
  krieg schlacht kongress messe guerre bataille guerra batalla`,
);

export const productNouns = listOf(
  `phone smartphone tablet computer laptop car vehicle truck aircraft airliner helicopter rocket satellite spacecraft
  telescope camera console device drug vaccine medicine browser language database framework library app application
  engine processor chip protocol platform tool toolkit ship ferry vessel boat locomotive train tractor watch printer game
  system model probe rover launcher steamer launch yacht`,
);

/** Nouns that are just as often surnames. */
export const surnameNouns = listOf(
  'hill wood woods park lake rivers castle bank church garden bishop king knight abbey marsh field fields berg wald see tal lago isla plaza bridge banks dale forest ford lane street west',
);

/** Legal forms after a company's name. */
export const legalForms = listOf(
  'inc incorporated corp corporation ltd limited llc llp plc gmbh ag kg ug se sa sas sarl spa srl bv nv ab as asa oy oyj aps kk pty pte co kgaa ev sl slu lda',
);

/** Nouns for awards. */
export const awardNouns = listOf('prize award medal premio prix preis prêmio');

/** Prefixes of ship names. */
export const shipPrefixes = listOf('ms mv hms uss ss rms mts rrs hmcs hmas');

/** Given names; a name that begins with one is usually a person's. */
export const givenNames = listOf(
  `aaron adam adrian agnes ahmed aisha alan albert alberto alejandro alessandro alex alexander alexandra alfred ali alice
  amanda amelia amy ana anders andrea andreas andrew angela anita ann anna anne annie anthony antoine anton antonio arthur
  astrid august barbara beatrice ben benjamin bernard bernhard bill bjorn bob boris brian bruno carl carla carlos carmen
  carol caroline catherine cecilia charles charlotte chris christian christina christine christopher clara claire claude
  claudia colin daniel daniela david deborah denis dennis diana diego dmitri dorothy edgar edith edmund eduard edward
  eleanor elena eleni elias elisabeth elizabeth ella ellen elsa emil emilia emily emma emmanuel enrico enrique eric erica erik
  ernest ernst esther eugene eva evelyn fatima felix fernando florence frances francesca francesco francis francisco
  françois frank franz fred frederick frida friedrich fritz gabriel gabriela gareth gary george georges gerald gerhard gerard
  giovanni giulia giuseppe gordon grace graham greta guido gustav guy hannah hans harald harold harriet harry hassan
  heather heinrich helen helena helga helmut henri henrik henry herbert hermann hilda hugh hugo ian ibrahim ida igor ines
  ingrid irene isaac isabel isabella ivan jack jacob jacques jakob james jan jane janet javier jean jennifer jens jessica
  jim joan joanna joao johan johann johannes john jonas jonathan jorge jose josé josef joseph josephine joshua juan judith
  julia julian julie julius karen karin karl katarina kate katherine kathleen keiko kevin kirsten klaus konrad kurt lars
  laura lauren laurent lawrence lea leo leon leonard leonardo leonora leopold lewis liam lily linda lisa lise lorenzo louis
  louise luca lucas lucia lucy ludwig luigi luis luisa magnus manuel marc marcel marco marcus margaret margarete
  maria marianne marie mario marina mark markus marta martha martin martina mary mathilde matteo matthew matthias maurice
  max maximilian maya mehmet mei michael michel michelle miguel mikhail mohamed mohammed monica monique muhammad nadia nancy
  natalia natalie nathan niccolo nicholas nicola nicolas niels nikola nikolai nils nina nora norman olga oliver olivia omar
  oscar oskar otto pablo paolo patricia patrick paul paula paulo pedro peter petra philip philippe pierre pietro priya
  rachel rafael ralph ravi raymond rebecca rené ricardo richard rita robert roberto roger roland rosa rosalind rose ruth
  ryan samuel sandra sara sarah scott sebastian sergei serge sergio sigmund silvia simon simone sofia sonia sophie stefan
  stella stephen steven stuart susan susanne sven sylvia takashi tatiana teresa theodor theodore theresa thomas tim timothy
  tobias tom tomas tony ulrich umberto ursula valentina vera veronica victor victoria vincent vincenzo virginia vladimir
  walter werner wilhelm willem william wolfgang xavier yuki yuri yusuf yves zoe
  lionel leif sigrid ingeborg astrid solveig kofi amina nadine aditi arjun akira hiroshi kenji haruki rabindranath
  galileo isaac ada alan grace tove selma edvard henrik knut fridtjof roald bertha leonhard emmy sonja`,
);

/** Cities in addition to those that name time zones. */
export const cities = listOf(
  `washington boston philadelphia seattle houston dallas atlanta miami baltimore cleveland pittsburgh portland austin
  manchester liverpool birmingham glasgow edinburgh cardiff leeds bristol oxford cambridge york sheffield nottingham
  plymouth southampton aberdeen dundee bath cork galway
  munich münchen münich hamburg cologne köln frankfurt stuttgart düsseldorf leipzig dresden hanover hannover nuremberg
  nürnberg bremen kiel lübeck rostock bonn heidelberg tübingen göttingen jena weimar potsdam essen dortmund wien
  basel geneva genf genève zürich bern salzburg graz innsbruck linz
  lyon marseille bordeaux toulouse nantes strasbourg lille nice grenoble rennes rouen reims montpellier
  barcelona valencia sevilla seville granada bilbao zaragoza málaga salamanca toledo córdoba
  milan milano turin torino naples napoli florence firenze venice venezia genoa genova bologna padua padova pisa verona
  roma rome palermo siena porto coimbra lisboa rotterdam antwerp antwerpen ghent utrecht leiden delft eindhoven bruges
  hague bergen stavanger trondheim tromsø gothenburg göteborg uppsala malmö aarhus odense turku tampere espoo
  kraków krakow gdańsk wrocław poznań łódź brno ostrava lviv odessa kharkiv thessaloniki izmir ankara
  mumbai delhi bangalore bengaluru chennai kyoto osaka yokohama nagoya hiroshima nagasaki kobe sapporo beijing shenzhen
  guangzhou wuhan nanjing rio alexandria marrakesh cape durban melbourne wellington canberra ottawa quebec
  москва петербург киев минск казань новосибирск αθήνα θεσσαλονίκη`,
);

/** Adjectives of nations, religions and the like, which are capitalised but not names. */
export const demonyms = listOf(
  `american british english french german italian spanish portuguese dutch belgian swiss austrian polish czech slovak
  hungarian romanian bulgarian greek turkish russian ukrainian swedish norwegian danish finnish icelandic irish scottish
  welsh european asian african australian canadian mexican brazilian argentine chilean peruvian colombian chinese japanese
  korean indian pakistani persian iranian iraqi arab arabic israeli egyptian moroccan nigerian kenyan ethiopian roman latin
  celtic christian catholic protestant orthodox jewish muslim islamic buddhist hindu victorian soviet prussian byzantine
  ottoman nordic scandinavian baltic mediterranean atlantic pacific arctic antarctic western eastern northern southern
  germans americans britons frenchmen italians russians europeans chinese greeks romans
  internet web earth god north south east west ok i`,
);

export const monthNames = listOf(
  `january february march april may june july august september october november december
  jan feb mar apr jun jul aug sep sept oct nov dec
  januar februar märz mai juni juli oktober dezember janvier février mars avril juin juillet août septembre octobre
  novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
  gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre janeiro fevereiro março maio junho julho setembro
  outubro novembro dezembro maart mei augustus
  января февраля марта апреля мая июня июля августа сентября октября ноября декабря`,
);

/** Days, holidays and headings: capitalised, but not useful in a graph. */
export const emptyCapitals = listOf(
  `monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag
  christmas easter mondays tuesdays wednesdays thursdays fridays saturdays sundays
  section sections figure figures fig table tables chapter chapters appendix article page pages step note notes equation
  version part volume example examples introduction conclusion conclusions abstract summary contents references overview
  background results discussion methods acknowledgements acknowledgments keywords bibliography index preface foreword
  warning caution tip important question answer q a abbildung tabelle kapitel abschnitt seite anhang einleitung
  zusammenfassung figura tabla capítulo página tableau chapitre
  todo fixme pdf url faq id ids ok am pm bc ad ce bce ie eg etc vs aka asap eta html xml json csv http https usd eur gbp
  mr mrs ms dr prof yes no true false null undefined nan unknown unbekannt ii iii iv vi vii viii ix xi xii km kg cm mm gb mb kb tb mhz ghz kwh
  herr frau monsieur madame señor señora`,
);

/** Adjectives that do not form a term with the following noun. */
export const emptyAdjectives = listOf(
  `other same many new first last different several good great small large big long short high low next previous own
  various certain main important possible available few more most much old young early late recent general common special
  particular whole full certain similar such able entire only second third fourth fifth single double particular current
  total key major minor real true false clear simple easy hard difficult necessary useful better best worse worst further
  additional following above below least less little right wrong final initial original specific daily annual former
  latter alternative usual typical normal`,
);

/** Nouns too general to be a term or the head of one. */
export const emptyNouns = listOf(
  `time times year years day days week weeks month months hour hours minute minutes second seconds way ways thing things
  people person man men woman women part parts number numbers amount place places kind kinds sort type types case cases
  example examples point points lot lots end beginning side sides fact facts reason reasons result results set group use
  work works world area line lines name names word words order form forms state level levels rate section chapter
  table figure page pages note notes percent per cent half rest front back top bottom everyone anything something nothing
  someone everything one ones others morning evening night afternoon today tomorrow yesterday century centuries decade
  decades hundred thousand million billion value values change changes matter question questions answer answers problem
  problems item items step steps piece pieces pair moment period term terms metre metres meter meters kilometre kilometres
  kilometer kilometers mile miles foot feet inch inches euro euros dollar dollars pound pounds`,
);

/** Nouns common to most documents, which count as terms only if defined. */
export const commonNouns = listOf(
  `ability access account action activity addition address advantage age agreement aim air analysis animal answer application
  approach article aspect attack attempt attention author average background bank base basis behaviour behavior benefit
  body book boundary box boy branch building business button call campaign capacity car care category cause center centre
  chance change character charge choice church circle city claim class client code colour color column comment committee
  communication community company comparison competition component concept concern conclusion condition conference
  connection construction contact content context contract contrast control copy corner cost country couple course cover
  crisis culture customer cycle damage danger data date deal death debate decision default definition degree delay demand
  department description design desire detail development device difference difficulty direction director discussion
  disease distance distribution document door doubt edge education effect effort element email employee energy environment
  equation equipment error estimate event evidence evolution exchange existence expansion experience experiment explanation
  expression extent eye face factor failure family father feature feeling field figure file film fire floor focus food
  force format formation foundation frame freedom friend function future game garden girl goal government ground growth
  guide hand head health heat height help history home hope host hotel house idea image impact importance increase
  independence individual industry influence information input instance instruction interest interface interview
  introduction investigation investment island issue item job journey judgment kitchen knowledge label labour lack land
  language law leader leadership learning length letter library light limit link list literature location loss machine
  majority management manager manner market mass material meaning measure measurement meeting member memory message method
  mind minister minority mission mistake mixture mode model moment money mother motion movement music nature need network
  news night notion object objective observation occasion office operation opinion opportunity option order organization
  origin output owner package paper paragraph parent participant party passage path patient pattern performance permission
  phase photo phrase picture plan plant play player police policy population position possibility potential power practice
  presence present president pressure price principle print priority process product production professor profit program
  programme progress project promise proof property proportion proposal protection province purpose quality quantity range
  ratio reaction reader reading reality recognition record reduction reference region relation relationship relief religion
  report request requirement research resource respect response responsibility rest restriction result return review right
  risk river road role room rule safety sale sample scale scene scheme school science scope score screen search season
  security selection sense sentence series server service session setting shape share shop sign signal significance
  situation size skill society software solution sound source space speaker speech speed spirit sport staff standard start
  statement station status stock stone stop store story strategy street strength stress structure student study style
  subject success sum summer support surface survey system talk target task teacher team technique technology temperature
  tendency test text theory thought title tool topic town trade tradition training transition treatment tree trend trip
  trouble truth understanding union unit university usage user variation variety vehicle velocity version victory video
  view village violence visit voice volume wall war water weather website weight window winter wish woman worker youth zone
  tag prompt tutorial event budget column row field string integer parameter argument variable`,
);

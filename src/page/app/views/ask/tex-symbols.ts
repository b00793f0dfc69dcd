const words = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text
      .trim()
      .split(/\s+/)
      .map((pair): [string, string] => {
        const at = pair.indexOf('=');
        return [pair.slice(0, at), pair.slice(at + 1)];
      }),
  );

/** Commands for letters. */
export const letters = words(`
  alpha=α beta=β gamma=γ delta=δ epsilon=ϵ varepsilon=ε zeta=ζ eta=η theta=θ vartheta=ϑ iota=ι kappa=κ lambda=λ mu=μ
  nu=ν xi=ξ omicron=ο pi=π varpi=ϖ rho=ρ varrho=ϱ sigma=σ varsigma=ς tau=τ upsilon=υ phi=ϕ varphi=φ chi=χ psi=ψ omega=ω
  Gamma=Γ Delta=Δ Theta=Θ Lambda=Λ Xi=Ξ Pi=Π Sigma=Σ Upsilon=Υ Phi=Φ Psi=Ψ Omega=Ω
  infty=∞ partial=∂ nabla=∇ hbar=ℏ ell=ℓ Re=ℜ Im=ℑ aleph=ℵ emptyset=∅ varnothing=∅ degree=° circ=∘ prime=′ dots=…
  ldots=… cdots=⋯ vdots=⋮ ddots=⋱ angle=∠ top=⊤ bot=⊥ imath=ı jmath=ȷ euro=€ pounds=£`);

/** Commands for operators, relations and brackets. */
export const operators = words(`
  times=× div=÷ cdot=⋅ pm=± mp=∓ ast=∗ star=⋆ oplus=⊕ otimes=⊗ odot=⊙ setminus=∖ cup=∪ cap=∩ wedge=∧ land=∧ vee=∨ lor=∨
  neg=¬ lnot=¬ le=≤ leq=≤ leqslant=≤ ge=≥ geq=≥ geqslant=≥ ne=≠ neq=≠ ll=≪ gg=≫ approx=≈ equiv=≡ sim=∼ simeq=≃ cong=≅
  propto=∝ in=∈ notin=∉ ni=∋ subset=⊂ subseteq=⊆ supset=⊃ supseteq=⊇ forall=∀ exists=∃ nexists=∄ to=→ rightarrow=→
  leftarrow=← gets=← leftrightarrow=↔ Rightarrow=⇒ implies=⟹ Leftarrow=⇐ Leftrightarrow=⇔ iff=⟺ mapsto=↦ uparrow=↑
  downarrow=↓ longrightarrow=⟶ perp=⊥ parallel=∥ mid=∣ vert=| lvert=| rvert=| Vert=‖ lVert=‖ rVert=‖ langle=⟨ rangle=⟩
  lfloor=⌊ rfloor=⌋ lceil=⌈ rceil=⌉ colon=: therefore=∴ because=∵ int=∫ iint=∬ iiint=∭ oint=∮ lbrace={ rbrace=}
  lbrack=[ rbrack=] backslash=\\ models=⊨ vdash=⊢`);

/** Operators whose limits stand below and above them. */
export const sums = words('sum=∑ prod=∏ coprod=∐ bigcup=⋃ bigcap=⋂ bigoplus=⨁ bigotimes=⨂ bigwedge=⋀ bigvee=⋁');

export const functions = new Set(
  'sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan log ln lg exp det dim ker deg gcd arg hom Pr'.split(' '),
);
/** Functions whose limits stand below them. */
export const limits = new Set('lim max min sup inf limsup liminf argmax argmin'.split(' '));

export const accents = words('hat=^ widehat=^ bar=¯ overline=¯ vec=→ tilde=~ widetilde=~ dot=˙ ddot=¨ check=ˇ');

/** Widths of spaces in em. */
export const spaces: ReadonlyMap<string, string> = new Map([
  [',', '0.17em'],
  [':', '0.22em'],
  [';', '0.28em'],
  [' ', '0.3em'],
  ['!', '-0.17em'],
  ['quad', '1em'],
  ['qquad', '2em'],
]);

/** The brackets around a matrix. */
export const matrices: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['matrix', ['', '']],
  ['array', ['', '']],
  ['pmatrix', ['(', ')']],
  ['bmatrix', ['[', ']']],
  ['Bmatrix', ['{', '}']],
  ['vmatrix', ['|', '|']],
  ['Vmatrix', ['‖', '‖']],
  ['cases', ['{', '']],
  ['aligned', ['', '']],
  ['align', ['', '']],
  ['align*', ['', '']],
  ['gathered', ['', '']],
]);

/** Letters of an alphabet; Unicode has some of them outside its block of mathematical letters. */
const alphabets: Readonly<
  Record<string, { readonly upper: number; readonly lower?: number; readonly others?: string }>
> = {
  mathbf: { upper: 0x1d400, lower: 0x1d41a },
  boldsymbol: { upper: 0x1d468, lower: 0x1d482 },
  mathbb: { upper: 0x1d538, others: 'CℂHℍNℕPℙQℚRℝZℤ' },
  mathcal: { upper: 0x1d49c, others: 'BℬEℰFℱHℋIℐLℒMℳRℛ' },
};

export const isAlphabet = (name: string): boolean => name in alphabets;

export function inAlphabet(name: string, letter: string): string {
  const { upper = 0, lower, others = '' } = alphabets[name] ?? {};
  const at = others.indexOf(letter);
  if (at >= 0) return others[at + 1] ?? letter;
  if (/^[A-Z]$/.test(letter)) return String.fromCodePoint(upper + letter.charCodeAt(0) - 65);
  return lower !== undefined && /^[a-z]$/.test(letter)
    ? String.fromCodePoint(lower + letter.charCodeAt(0) - 97)
    : letter;
}

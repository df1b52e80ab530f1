const LAZY: unique symbol = Symbol.for("slipway.Lazy");

export interface IAnyProducer {
  produce(): any;
}

/** A value that is computed when the object it stands in is rendered. */
export class Lazy {
  private readonly producer: IAnyProducer;

  /** Stands for what `producer` will give, wherever a value may stand. */
  static any(producer: IAnyProducer): any {
    return new Lazy(producer);
  }

  private constructor(producer: IAnyProducer) {
    this.producer = producer;
  }

  /** Asks the producer, each time. */
  produce(): any {
    return this.producer.produce();
  }

  /**
   * Whether `value` is a Lazy of this or of another copy of the library, cdk8s included: two copies have two classes.
   * @internal
   */
  static isLazy(value: object): value is Lazy {
    if (LAZY in value) return true;
    return value.constructor?.name === "Lazy" && typeof (value as Partial<Lazy>).produce === "function";
  }

  /**
   * What cdk8s looks for in values that it does not know (its ImplicitTokenResolver): with it, our Lazy works in an App
   * of cdk8s.
   * @internal
   */
  resolve(): any {
    return this.produce();
  }
}

Object.defineProperty(Lazy.prototype, LAZY, { value: true });

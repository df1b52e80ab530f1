/** The fields of a cron expression, as cron writes them (`*`, `5`, `1-5`, `0,30`). Absent means every value. */
export interface CronOptions {
  /** @default "*" every minute */
  readonly minute?: string | undefined;
  /** @default "*" every hour */
  readonly hour?: string | undefined;
  /**
   * Day of the month.
   * @default "*" every day
   */
  readonly day?: string | undefined;
  /** @default "*" every month */
  readonly month?: string | undefined;
  /**
   * Day of the week; 0 is Sunday.
   * @default "*" every day
   */
  readonly weekDay?: string | undefined;
}

/** A schedule in cron's notation. Fields are not checked: what the cluster does not know, it refuses. */
export class Cron {
  static everyMinute(): Cron {
    return new Cron();
  }

  /** At minute 0. */
  static hourly(): Cron {
    return new Cron({ minute: "0" });
  }

  /** At midnight. */
  static daily(): Cron {
    return new Cron({ minute: "0", hour: "0" });
  }

  /** At midnight on Sunday. */
  static weekly(): Cron {
    return new Cron({ minute: "0", hour: "0", weekDay: "0" });
  }

  /** At midnight on the first day of the month. */
  static monthly(): Cron {
    return new Cron({ minute: "0", hour: "0", day: "1" });
  }

  /** At midnight on the first of January. */
  static annually(): Cron {
    return new Cron({ minute: "0", hour: "0", day: "1", month: "1" });
  }

  static schedule(options: CronOptions): Cron {
    return new Cron(options);
  }

  /** `minute hour day month weekDay`. */
  readonly expressionString: string;

  constructor(cronOptions: CronOptions = {}) {
    const { minute, hour, day, month, weekDay } = cronOptions;
    this.expressionString = [minute, hour, day, month, weekDay].map((field) => field ?? "*").join(" ");
  }
}

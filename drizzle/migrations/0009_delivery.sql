CREATE TABLE "delivery_actions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "delivery_actions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"action" text NOT NULL,
	"actor" text NOT NULL,
	"reason" text NOT NULL,
	"handler" text NOT NULL,
	"topic_id" integer NOT NULL,
	"seq" bigint NOT NULL,
	"dead_id" text NOT NULL,
	"outcome" text
);
--> statement-breakpoint
CREATE TABLE "delivery_handlers" (
	"handler" text PRIMARY KEY NOT NULL,
	"since" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "delivery_progress" (
	"topic_id" integer NOT NULL,
	"handler" text NOT NULL,
	"done" "int8multirange" NOT NULL,
	CONSTRAINT "delivery_progress_topic_id_handler_pk" PRIMARY KEY("topic_id","handler")
);
--> statement-breakpoint
CREATE TABLE "edge_cursors" (
	"topic_id" integer PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mention_notices" (
	"user_id" text NOT NULL,
	"activity_id" bigint NOT NULL,
	"topic_id" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "mention_notices_user_id_activity_id_pk" PRIMARY KEY("user_id","activity_id")
);
--> statement-breakpoint
ALTER TABLE "delivery_progress" ADD CONSTRAINT "delivery_progress_topic_id_topics_id_fk" FOREIGN KEY ("topic_id") REFERENCES "public"."topics"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "edge_cursors" ADD CONSTRAINT "edge_cursors_topic_id_topics_id_fk" FOREIGN KEY ("topic_id") REFERENCES "public"."topics"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mention_notices" ADD CONSTRAINT "mention_notices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mention_notices" ADD CONSTRAINT "mention_notices_topic_id_topics_id_fk" FOREIGN KEY ("topic_id") REFERENCES "public"."topics"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "delivery_actions_at" ON "delivery_actions" USING btree ("at");--> statement-breakpoint
CREATE INDEX "delivery_actions_place" ON "delivery_actions" USING btree ("topic_id","seq");
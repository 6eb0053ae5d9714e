CREATE TABLE "edge_refusals" (
	"topic_id" integer NOT NULL,
	"seq" bigint NOT NULL,
	"reason" text NOT NULL,
	CONSTRAINT "edge_refusals_topic_id_seq_pk" PRIMARY KEY("topic_id","seq")
);
--> statement-breakpoint
ALTER TABLE "edge_refusals" ADD CONSTRAINT "edge_refusals_topic_id_topics_id_fk" FOREIGN KEY ("topic_id") REFERENCES "public"."topics"("id") ON DELETE cascade ON UPDATE no action;